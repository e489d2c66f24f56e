"""`python -m ferrotile.cli`."""

from ferrotile.cli.main import main

if __name__ == "__main__":
    main()

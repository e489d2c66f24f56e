"""A program that trusts its GPU: what it finds under the recorder is printed as JSON, by test_pretended_torch.py."""

import json
import sys
import threading

import cuda.tile as ct
import kernels
import torch


class Twice(torch.autograd.function.BackwardCFunction):
    """A backward function of the program."""

    def backward(self, gradient):
        """Where the gradient says to be."""
        return str(gradient.device)


def main():
    """Launch, and look around."""
    x = torch.empty(4, 4096, device="cuda")
    y = torch.empty(4096).cuda()
    found = {"x": str(x.device), "host": str(torch.empty(4).device).split(":")[0], "is_cuda": x.is_cuda}
    properties = torch.cuda.get_device_properties(0)
    found |= {
        "available": torch.cuda.is_available(),
        "capability": list(torch.cuda.get_device_capability()),
        "multiprocessors": properties.multi_processor_count,
        "item": x.item(),
        "truth": bool(x),
        "back": str(x.cpu().device).split(":")[0],
        "moved": str(x.to("cuda").device),
        "equal": torch.equal(x, y),
        "backward": torch.run_backward(Twice(), x) if hasattr(torch, "run_backward") else None,
        "generator": isinstance(torch.Generator("cuda"), torch.Generator),
    }
    torch.testing.assert_close(x, y)
    thread = threading.Thread(target=lambda: found.update(thread=str(torch.empty(2, device="cuda").device)))
    thread.start()
    thread.join()
    flat = torch.empty(8192, device="cuda")
    ct.launch(torch.cuda.current_stream(), (4,), kernels.double, (flat[4096:], y, 1024))
    ct.launch(torch.cuda.current_stream(), (4,), kernels.double, (flat, flat[1:], 1024))
    print(json.dumps(found))


if __name__ == "__main__":
    sys.exit(main())

"""Well-typed cuTile Python kernels drawn by hypothesis, and what must be true of each.

`author` draws the text of a kernel; `plain` runs that very text as ordinary Python on NumPy; `judge` demands that the
translation is EQUAL, REFINES or refused by a documented code, and that reference, lifted module and `plain` agree;
`keep` saves what failed. Non-goals: speed of the kernels, and coverage of what cuda.tile itself refuses.
"""

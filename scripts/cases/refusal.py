# SPDX-License-Identifier: Apache-2.0
"""What must be refused, by name of the rule, without a file."""

import torch

from cases.kit import Table, r


def rows():
    t = Table()
    unsupported = dict(expect_error="unsupported-operators")
    t.add("sort", lambda x: torch.sort(x, 1), r(2, 5), **unsupported)
    t.add("several", lambda x: torch.sort(torch.sort(x, 1).values, 0).values + torch.cummax(x, 0)[0],
          r(2, 5), **unsupported)
    t.add("after_supported", lambda x: torch.kthvalue(torch.relu(x), 2).values, r(2, 5),
          **unsupported)
    t.add("float64", lambda x: (x.double() * 2).exp().float(), r(2, 5), expect_error="lower-dtype")
    return t.rows

// The readers of text/ as Python sees them.
#pragma once
#include <nanobind/nanobind.h>

namespace onlineboost {

void bind_text(nanobind::module_& m);

}  // namespace onlineboost

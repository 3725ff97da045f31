// Sums of metrics as Python sees them.
#pragma once
#include <nanobind/nanobind.h>

namespace onlineboost {

void bind_metrics(nanobind::module_& m);

}  // namespace onlineboost

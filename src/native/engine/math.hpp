// The fixed exp and log for code that is compiled once. The C library's may differ from one processor to the next.
#pragma once

namespace onlineboost::math {

#include "kernels/math.hpp"

}  // namespace onlineboost::math

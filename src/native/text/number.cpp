#include "text/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace onlineboost::text {

namespace {

// Whether a decimal number, of which only the size is in question, is below 1: from_chars does not say on which side it
// left the range.
bool below_one(const char* p, const char* end) {
    long long magnitude = 0;  // the position of the first digit that is not 0, counted from the point
    bool point = false, found = false;
    for (; p < end && *p != 'e' && *p != 'E'; ++p) {
        if (*p == '.') {
            point = true;
        } else if (found) {
            magnitude += !point;
        } else if (*p != '0') {
            found = true;
            magnitude += !point;
        } else {
            magnitude -= point;
        }
    }
    long long exponent = 0;
    if (p < end) {
        ++p;
        const bool negative = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) ++p;
        for (; p < end; ++p) exponent = std::min(10 * exponent + (*p - '0'), 1'000'000'000'000LL);
        if (negative) exponent = -exponent;
    }
    return magnitude + exponent <= 0;
}

}  // namespace

Number parse_long_number(std::string_view text, double& value) {
    const char* p = text.data();
    const char* end = p + text.size();
    if (p < end && *p == '+' && (++p == end || *p == '-')) return Number::kNone;
    double parsed = 0.0;
    const auto [stop, error] = std::from_chars(p, end, parsed);
    if (stop != end || error == std::errc::invalid_argument) return Number::kNone;
    const char* body = p + (*p == '-');
    if (error == std::errc::result_out_of_range) {
        if (!below_one(body, end)) return Number::kBeyond;
        parsed = body != p ? -0.0 : 0.0;
    }
    if (*body != '.' && !is_digit(*body) && text.find('(') != text.npos) return Number::kNone;  // nan(…)
    if (!(std::abs(parsed) <= kLargestValue)) return Number::kBeyond;
    value = parsed;
    return Number::kFinite;
}

}  // namespace onlineboost::text

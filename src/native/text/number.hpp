// A number as text becomes a double, correctly rounded, whatever the locale; anything else is told apart from it.
#pragma once
#include <string_view>

namespace onlineboost::text {

enum class Number { kFinite, kBeyond, kNone };  // kBeyond: not finite, or larger than 1e100 in size

// As in onlineboost.machine.rows.
constexpr double kLargestValue = 1e100, kLargestWeight = 1e15;
constexpr std::size_t kLongestName = 10'000;

Number parse_long_number(std::string_view text, double& value);

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Decimal, with an optional sign, point and exponent. Up to 15 digits without an exponent take the short way: both the
// digits and the power of ten are exact in double then, so that one division rounds correctly (Clinger, PLDI 1990).
inline Number parse_number(std::string_view text, double& value) {
    static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char* p = text.data();
    const char* end = p + text.size();
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (end - p > 16) return parse_long_number(text, value);
    unsigned long long digits = 0;
    int count = 0, places = 0;
    for (; p < end && is_digit(*p); ++p, ++count) digits = 10 * digits + static_cast<unsigned>(*p - '0');
    if (p < end && *p == '.')
        for (++p; p < end && is_digit(*p); ++p, ++count, ++places)
            digits = 10 * digits + static_cast<unsigned>(*p - '0');
    if (p < end || count == 0 || count > 15) return parse_long_number(text, value);
    const double size = static_cast<double>(digits) / kPowers[places];
    value = negative ? -size : size;
    return Number::kFinite;
}

}  // namespace onlineboost::text

// Points in time: ISO 8601 texts, and the features that a time column has.
//
// A time is a number of microseconds since 1970-01-01T00:00 UTC; a text without an offset is taken as UTC. Features:
// the hour, the weekday and the day of the year as sine and cosine of their part of a full turn, and the years since a
// first time. Sine and cosine are computed here, because the C library's differ from one processor to the next.
#pragma once
#include <cstdint>
#include <string_view>

namespace onlineboost::text {

// YYYY-MM-DD, and behind a T or a space HH:MM, HH:MM:SS or HH:MM:SS.fraction, and behind it Z, +HH, +HHMM or +HH:MM.
bool parse_time(std::string_view text, double& micros);

constexpr double kMicrosPerSecond = 1e6;

struct TimeFeatures {
    static constexpr int kCount = 7;
    static constexpr std::string_view kNames[kCount] = {"@hour.sin", "@hour.cos", "@weekday.sin", "@weekday.cos",
                                                        "@year.sin", "@year.cos", "@trend"};
    static constexpr int kTrend = 6;
    double values[kCount];
};
// `origin` is the first time, in seconds.
TimeFeatures time_features(double micros, std::int64_t origin);

// The sine of u turns, of any finite u.
double sine_of_turns(double u);

}  // namespace onlineboost::text

#include "text/time.hpp"

#include <chrono>
#include <cmath>

namespace onlineboost::text {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kMicrosPerDay = 86'400e6;
constexpr double kDaysPerYear = 365.2425;

// `count` digits at the front, which are taken away.
bool digits(std::string_view& text, int count, int& value) {
    if (text.size() < static_cast<std::size_t>(count)) return false;
    value = 0;
    for (int k = 0; k < count; ++k) {
        const char c = text[static_cast<std::size_t>(k)];
        if (c < '0' || c > '9') return false;
        value = 10 * value + (c - '0');
    }
    text.remove_prefix(static_cast<std::size_t>(count));
    return true;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

bool clock(std::string_view& text, std::int64_t& micros) {
    int hour = 0, minute = 0, second = 0;
    if (!digits(text, 2, hour) || !take(text, ':') || !digits(text, 2, minute)) return false;
    if (take(text, ':') && !digits(text, 2, second)) return false;
    if (hour > 23 || minute > 59 || second > 60) return false;
    micros = ((hour * 60 + minute) * 60 + second) * std::int64_t{1'000'000};
    if (!take(text, '.')) return true;
    std::int64_t unit = 100'000;
    std::size_t read = 0;
    for (; read < text.size() && text[read] >= '0' && text[read] <= '9'; ++read, unit /= 10)
        micros += (text[read] - '0') * unit;
    text.remove_prefix(read);
    return read > 0;
}

bool offset(std::string_view& text, std::int64_t& micros) {
    if (text.empty() || take(text, 'Z')) return true;
    const bool west = text.front() == '-';
    if (!take(text, '-') && !take(text, '+')) return false;
    int hours = 0, minutes = 0;
    if (!digits(text, 2, hours)) return false;
    take(text, ':');
    if (!text.empty() && !digits(text, 2, minutes)) return false;
    const std::int64_t shift = (hours * 60 + minutes) * std::int64_t{60'000'000};
    micros += west ? shift : -shift;
    return true;
}

}  // namespace

bool parse_time(std::string_view text, double& result) {
    int year = 0, month = 0, day = 0;
    if (!digits(text, 4, year) || !take(text, '-') || !digits(text, 2, month) || !take(text, '-') ||
        !digits(text, 2, day))
        return false;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return false;
    std::int64_t micros = 0;
    if (!text.empty()) {
        if (!take(text, 'T') && !take(text, ' ')) return false;
        if (!clock(text, micros) || !offset(text, micros) || !text.empty()) return false;
    }
    micros += std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400'000'000};
    result = static_cast<double>(micros);
    return true;
}

double sine_of_turns(double u) {
    u -= std::floor(u);
    const double quarter = std::floor(4.0 * u);
    double r = u - quarter / 4.0;  // below a quarter
    const bool odd = static_cast<int>(quarter) % 2 == 1, negative = quarter >= 2.0;
    bool cosine = odd;
    if (r > 0.125) {
        r = 0.25 - r;
        cosine = !cosine;
    }
    const double x = 2.0 * kPi * r, square = x * x;
    double term = cosine ? 1.0 : x, sum = 0.0;
    for (int k = cosine ? 0 : 1; k < 20; k += 2) {  // Taylor's series; x is at most pi / 4
        sum += term;
        term *= -square / ((k + 1) * (k + 2));
    }
    return negative ? -sum : sum;
}

TimeFeatures time_features(double micros, std::int64_t origin) {
    const double day = std::floor(micros / kMicrosPerDay);
    const double hour = (micros - day * kMicrosPerDay) / kMicrosPerDay;
    const double weekday = (day + 3.0) - 7.0 * std::floor((day + 3.0) / 7.0);  // 1970-01-01 was a Thursday
    double in_year = 0.0;
    if (std::abs(day) < 1e7) {
        const std::chrono::sys_days date{std::chrono::days(static_cast<int>(day))};
        const std::chrono::year_month_day civil{date};
        const std::chrono::sys_days first{civil.year() / std::chrono::January / 1};
        in_year = static_cast<double>((date - first).count()) / kDaysPerYear;
    }
    const double trend = (micros - static_cast<double>(origin) * kMicrosPerSecond) / (kDaysPerYear * kMicrosPerDay);
    return {{sine_of_turns(hour), sine_of_turns(hour + 0.25), sine_of_turns(weekday / 7.0),
             sine_of_turns(weekday / 7.0 + 0.25), sine_of_turns(in_year), sine_of_turns(in_year + 0.25), trend}};
}

}  // namespace onlineboost::text

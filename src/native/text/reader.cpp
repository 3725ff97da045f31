#include "text/reader.hpp"

#include <cmath>
#include <cstring>

#include "text/hash.hpp"
#include "text/number.hpp"

namespace onlineboost::text {

namespace {

constexpr std::size_t kMostProblems = 1000;
constexpr std::size_t kLongestSet = std::size_t{1} << 16;
constexpr std::string_view kMark = "\xEF\xBB\xBF";  // the byte order mark of UTF-8

}  // namespace

bool is_utf8(std::string_view text) {
    const auto* p = reinterpret_cast<const unsigned char*>(text.data());
    const auto* end = p + text.size();
    while (p < end) {
        if (*p < 0x80) {
            std::uint64_t word;
            if (end - p >= 8 && (std::memcpy(&word, p, 8), (word & 0x8080808080808080ULL) == 0))
                p += 8;
            else
                ++p;
            continue;
        }
        const int more = *p >= 0xC2 && *p <= 0xDF ? 1 : *p >= 0xE0 && *p <= 0xEF ? 2 : *p >= 0xF0 && *p <= 0xF4 ? 3 : 0;
        if (more == 0 || end - p <= more) return false;
        std::uint32_t code = *p & (0x3Fu >> more);
        for (int k = 1; k <= more; ++k) {
            if ((p[k] & 0xC0) != 0x80) return false;
            code = code << 6 | (p[k] & 0x3Fu);
        }
        if ((more == 2 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) ||
            (more == 3 && (code < 0x10000 || code > 0x10FFFF)))
            return false;
        p += more + 1;
    }
    return true;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

void Reader::problem(std::string column, std::string message) {
    before_problem = place;
    ++place.bad;
    rows.problems.push_back({current_line(), std::move(column), std::move(message)});
}

bool Reader::full(std::size_t most_rows, std::int64_t most_bad) const {
    return rows.size() >= most_rows || rows.data.size() >= limits.batch || rows.problems.size() >= kMostProblems ||
           place.bad >= most_bad;
}

std::size_t Reader::parse(std::string_view block, bool last, std::size_t most_rows, std::int64_t most_bad) {
    std::size_t at = 0;
    stopped = false;
    if (place.bytes == 0 && !skipping_) {
        if (block.starts_with(kMark)) {
            at = kMark.size();
            done(at, 0);
        } else if (!last && kMark.starts_with(block)) {
            return 0;
        }
    }
    while ((at < block.size() || (last && skipping_)) && !full(most_rows, most_bad) && !waiting()) {
        const std::string_view text = block.substr(at);
        if (skipping_) {
            at += skip(text, last);
            continue;
        }
        const std::size_t used = record(text, last);
        at += used;
        if (used == 0) {
            if (text.size() <= limits.line || waiting()) break;
            skipping_ = true;
        }
    }
    stopped = full(most_rows, most_bad);
    return at;
}

std::size_t Reader::skip(std::string_view text, bool last) {
    const std::size_t end = text.find('\n');
    if (end == text.npos && !last) {
        skipped_ += text.size();
        return text.size();
    }
    const std::size_t used = end == text.npos ? text.size() : end + 1;
    problem("", too_long());
    done(skipped_ + used, 1);
    skipping_ = false;
    skipped_ = 0;
    return used;
}

std::size_t Reader::record(std::string_view text, bool last) {
    const std::size_t end = text.find('\n');
    if (end == text.npos && !last) return 0;
    std::string_view content = text.substr(0, end);
    const std::size_t used = content.size() + (end != text.npos);
    if (content.size() > limits.line) {
        problem("", too_long());
    } else {
        if (content.ends_with('\r')) content.remove_suffix(1);
        line(content);
    }
    done(used, 1);
    return used;
}

std::string Reader::too_long() const {
    return "the line is longer than " + std::to_string(limits.line) +
           " bytes: allow more with longest_line (--max-line-bytes).";
}

bool Reader::finish(std::int32_t label, double weight) {
    const std::size_t features = rows.data.size() - rows.row_start();
    if (features > most_features) {
        problem("", "the line has " + std::to_string(features) + " features, more than " +
                        std::to_string(most_features) + ": allow more with most_features (--max-features).");
        return false;
    }
    rows.finish(label, weight, current_line());
    ++place.rows;
    return true;
}

std::int32_t Reader::id_of(std::string_view name) {
    if (buckets == 0) return names.id(name);
    std::string bucket{'#'};
    bucket += std::to_string(stable_hash(name) % buckets);
    return names.id(bucket);
}

bool Reader::number_label(std::string_view text, std::int32_t& label) {
    double value;
    if (parse_number(text, value) != Number::kFinite || std::abs(value) >= LabelTable::kLargest) return false;
    label = labels.number(value);
    return true;
}

std::string Reader::set_label(std::string_view text, std::int32_t& label) {
    if (text.size() > kLongestSet) return "the set of labels " + shown(text) + " is longer than 65536 bytes.";
    if (!is_utf8(text)) return "the set of labels " + shown(text) + " is not UTF-8.";
    for (std::size_t from = 0, stop = 0; stop != text.npos; from = stop + 1) {
        stop = text.find(label_separator, from);
        std::string_view one = text.substr(from, stop == text.npos ? stop : stop - from);
        while (!one.empty() && is_space(one.front())) one.remove_prefix(1);
        while (!one.empty() && is_space(one.back())) one.remove_suffix(1);
        double value = 0.0;
        const Number number = parse_number(one, value);
        if (one.empty()) return "a label of the set " + shown(text) + " is empty.";
        if (one.size() > LabelTable::kLongest) return "the label " + shown(one) + " is longer than 1000 bytes.";
        if (number == Number::kBeyond ||
            (number == Number::kFinite && (std::abs(value) >= LabelTable::kLargest || value != std::trunc(value))))
            return "the label " + shown(one) + " is not a whole number below 2^53 in size.";
    }
    label = labels.text(text);
    return {};
}

}  // namespace onlineboost::text

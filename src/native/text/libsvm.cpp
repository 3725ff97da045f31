#include "text/libsvm.hpp"

#include <algorithm>
#include <utility>

#include "text/number.hpp"

namespace onlineboost::text {

namespace {

constexpr std::int64_t kLargestIndex = 2147483647;

bool ends_word(char c) { return is_space(c) || c == '#'; }

const char* word_end(const char* p, const char* end) {
    while (p < end && !ends_word(*p)) ++p;
    return p;
}

const char* skip_spaces(const char* p, const char* end) {
    while (p < end && is_space(*p)) ++p;
    return p;
}

std::string_view piece(const char* from, const char* to) { return {from, static_cast<std::size_t>(to - from)}; }

}  // namespace

void LibsvmReader::line(std::string_view text) {
    const char* p = skip_spaces(text.data(), text.data() + text.size());
    if (p == text.data() + text.size() || *p == '#') return;
    std::int32_t label = LabelTable::kNone;
    if (!fill(text, label) || !finish(label, 1.0)) rows.abandon();
}

bool LibsvmReader::fill(std::string_view text, std::int32_t& label) {
    const char* const end = text.data() + text.size();
    const char* p = skip_spaces(text.data(), end);
    const char* stop = word_end(p, end);
    if (std::find(p, stop, ':') == stop) {
        if (labels_mode != Labels::kIgnored && label_separator != 0) {
            if (std::string wrong = set_label(piece(p, stop), label); !wrong.empty()) {
                problem(text, p, std::move(wrong));
                return false;
            }
        } else if (labels_mode != Labels::kIgnored && !number_label(piece(p, stop), label)) {
            problem(text, p, "the label " + shown(piece(p, stop)) + " is not a number below 2^53 in size.");
            return false;
        }
        p = skip_spaces(stop, end);
        if (p + 4 < end && piece(p, p + 4) == "qid:") p = skip_spaces(word_end(p, end), end);
    } else if (labels_mode == Labels::kRequired) {
        problem(text, p, "the line has no label.");
        return false;
    }
    std::int64_t before = -1;
    while (p < end && *p != '#') {
        const char* const word = p;
        std::int64_t index = 0;
        while (p < end && is_digit(*p) && index <= kLargestIndex) index = 10 * index + (*p++ - '0');
        if (p == word || p == end || *p != ':' || index > kLargestIndex) {
            const std::string_view whole = piece(word, word_end(word, end));
            const std::size_t colon = whole.find(':');
            problem(text, word,
                    colon == whole.npos ? shown(whole) + " is not of the form index:value."
                                        : "the index " + shown(whole.substr(0, colon)) +
                                              " is not a whole number from 0 to 2147483647.");
            return false;
        }
        if (index <= before) {
            problem(text, word,
                    index == before ? "the index " + std::to_string(index) + " stands twice on one line."
                                    : "the index " + std::to_string(index) + " comes after " + std::to_string(before) +
                                          ", but indices must increase along a line.");
            return false;
        }
        const char* const from = ++p;
        double value = 0.0;
        if (from + 1 < end && is_digit(*from) && is_space(from[1])) {  // by far the commonest
            value = *from - '0';
            p = from + 1;
        } else {
            p = word_end(from, end);
            if (parse_number(piece(from, p), value) != Number::kFinite) {
                problem(text, from, "the value " + shown(piece(from, p)) + " is not a finite number up to 1e100.");
                return false;
            }
        }
        rows.add(static_cast<std::int32_t>(index), value);
        before = index;
        p = skip_spaces(p, end);
    }
    return true;
}

}  // namespace onlineboost::text

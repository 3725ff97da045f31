#include "text/vw.hpp"

#include "text/number.hpp"

namespace onlineboost::text {

namespace {

// The next word of `rest`, which is what follows it afterwards; empty at the end.
std::string_view next_word(std::string_view& rest) {
    std::size_t from = 0;
    while (from < rest.size() && is_space(rest[from])) ++from;
    std::size_t to = from;
    while (to < rest.size() && !is_space(rest[to])) ++to;
    const std::string_view word = rest.substr(from, to - from);
    rest.remove_prefix(to);
    return word;
}

}  // namespace

void VwReader::line(std::string_view text) {
    if (trim(text).empty()) return;
    if (text.find('\0') != text.npos || !is_utf8(text)) return problem("", "the line is not text in UTF-8.");
    const std::size_t bar = text.find('|');
    if (bar == text.npos) return problem("", "the line has no | before its features.");
    std::int32_t label = LabelTable::kNone;
    double weight = 1.0;
    const std::size_t names_before = names.size();
    if (!head(text, text.substr(0, bar), label, weight) || !features(text, text.substr(bar)) || !finish(label, weight))
        abandon(names_before);
}

bool VwReader::head(std::string_view text, std::string_view part, std::int32_t& label, double& weight) {
    const bool touching = !part.empty() && !is_space(part.back());  // a word that touches the bar is the tag
    std::string_view rest = part;
    for (int place = 0;; ++place) {
        const std::string_view word = next_word(rest);
        const bool tag = word.starts_with('\'') || (touching && rest.empty());
        if (word.empty() || tag) {
            if (tag && !trim(rest).empty()) {
                problem(text, word.data(), "the tag " + shown(word) + " does not stand last before the bar.");
                return false;
            }
            if (place == 0 && labels_mode == Labels::kRequired) {
                problem("", "the line has no label.");
                return false;
            }
            return true;
        }
        if (labels_mode == Labels::kIgnored && place == 0) continue;
        double value;
        switch (place) {
            case 0:
                if (number_label(word, label)) continue;
                problem(text, word.data(), "the label " + shown(word) + " is not a number below 2^53 in size.");
                return false;
            case 1:
                if (parse_number(word, weight) == Number::kFinite && weight >= 0.0 && weight <= kLargestWeight)
                    continue;
                problem(text, word.data(), "the importance " + shown(word) + " is not a number from 0 to 1e15.");
                return false;
            case 2:
                if (parse_number(word, value) == Number::kFinite && value == 0.0) continue;
                problem(text, word.data(),
                        "the base prediction " + shown(word) + " is not 0: bases are not supported.");
                return false;
            default:
                problem(text, word.data(),
                        shown(word) + " stands where the bar should be, behind label, importance and base.");
                return false;
        }
    }
}

bool VwReader::features(std::string_view text, std::string_view part) {
    std::size_t at = 0, prefix = 0;
    double scale = 1.0;
    const auto refuse = [&](std::string_view where, std::string message) {
        problem(text, where.data(), std::move(message));
        return false;
    };
    while (at < part.size()) {
        const bool space = part[at] == '|';
        if (space) ++at;
        if (!space && is_space(part[at])) {
            ++at;
            continue;
        }
        std::size_t stop = at;
        while (stop < part.size() && !is_space(part[stop]) && part[stop] != '|') ++stop;
        const std::string_view word = part.substr(at, stop - at);
        at = stop;
        const std::size_t colon = word.find(':');
        const std::string_view name = word.substr(0, colon);
        double value = 1.0;
        if (colon != word.npos && parse_number(word.substr(colon + 1), value) != Number::kFinite)
            return refuse(word.substr(colon),
                          "the value " + shown(word.substr(colon + 1)) + " is not a finite number up to 1e100.");
        if (name.size() > kLongestName) return refuse(name, "the name " + shown(name) + " is longer than 10000 bytes.");
        if (space) {
            if (name.empty() && colon != word.npos) return refuse(word, "a namespace has a scale but no name.");
            scale = value;
            name_.assign(name);
            if (!name.empty()) name_ += '^';
            prefix = name_.size();
            continue;
        }
        if (name.empty()) return refuse(word, "the feature " + shown(word) + " has no name.");
        name_.resize(prefix);
        name_ += name;
        value *= scale;
        if (!(value <= kLargestValue && value >= -kLargestValue) || !feature(id_of(name_), value))
            return refuse(word, "the feature " + shown(word) + " goes beyond 1e100.");
    }
    return true;
}

}  // namespace onlineboost::text

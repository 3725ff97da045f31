// The rows that a reader has made and nobody has taken yet, and what was wrong with the others.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/storage.hpp"

namespace onlineboost::text {

struct Problem {
    std::int64_t line;
    std::string
        column;  // a byte's place in the line, or the name of a column; empty where the line as a whole is meant
    std::string message;
};

// The text of a malformed piece, short enough for a message.
std::string shown(std::string_view text);

struct Label {
    enum class Kind { kInteger, kReal, kText } kind;
    double number;
    std::string text;
};

// Distinct labels, numbered as they come.
class LabelTable {
   public:
    static constexpr std::int32_t kNone = -1;
    static constexpr double kLargest =
        9007199254740992.0;  // 2^53: from here on neighbouring integers become one double
    static constexpr std::size_t kLongest = 1000;

    std::int32_t number(double value);
    std::int32_t text(std::string_view value);
    const std::vector<Label>& all() const { return labels_; }

   private:
    std::vector<Label> labels_;
    std::unordered_map<double, std::int32_t> numbers_;
    std::unordered_map<std::string, std::int32_t> texts_;
    std::int32_t recent_ = kNone;
};

struct Rows {
    std::vector<double> data;
    std::vector<std::int32_t> indices;
    std::vector<std::int32_t> starts{0};
    std::vector<std::int32_t> labels;
    std::vector<double> weights;
    std::vector<std::int64_t> lines;
    std::vector<Problem> problems;
    bool weighted = false;  // whether some weight is not 1

    std::size_t size() const { return lines.size(); }
    void add(std::int32_t id, double value) {
        indices.push_back(id);
        data.push_back(value);
    }
    std::size_t row_start() const { return static_cast<std::size_t>(starts.back()); }
    void finish(std::int32_t label, double weight, std::int64_t line) { finish(label, weight, line, data.size()); }
    void finish(std::int32_t label, double weight, std::int64_t line, std::size_t stop) {
        starts.push_back(static_cast<std::int32_t>(stop));
        labels.push_back(label);
        weights.push_back(weight);
        weighted |= weight != 1.0;
        lines.push_back(line);
    }
    void make_room(std::size_t more) {
        onlineboost::make_room(starts, starts.size() + more);
        onlineboost::make_room(labels, labels.size() + more);
        onlineboost::make_room(weights, weights.size() + more);
        onlineboost::make_room(lines, lines.size() + more);
    }
    void abandon() {
        data.resize(row_start());
        indices.resize(row_start());
    }
};

}  // namespace onlineboost::text

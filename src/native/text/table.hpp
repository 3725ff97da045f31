// Rows of cells under named columns: what CSV, JSON lines and Arrow have in common.
#pragma once
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/reader.hpp"

namespace onlineboost::text {

// The features of the texts that a category showed last: most cells are found here, without building their names, which
// end with the text. It grows while texts drive each other out.
class RecentTexts {
   public:
    // -1 if it is not known. `readable`: where the bytes end that may be read.
    std::int32_t find(const Names& names, std::string_view text, const char* readable = nullptr) const {
        if (entries_.empty()) return -1;
        const Entry wanted = readable && readable - text.data() >= 8 ? quick_entry(text) : entry(text);
        const std::size_t at = place(wanted);
        const Entry* there = &entries_[at];
        if (!there->same(wanted)) [[unlikely]] {
            there = &entries_[at ^ 1];
            if (!there->same(wanted)) return -1;
        }
        if (text.size() > kWhole && !names[static_cast<std::size_t>(there->id)].ends_with(text)) return -1;
        return there->id;
    }
    void put(std::string_view text, std::int32_t id) {
        if (entries_.empty()) entries_.resize(kFewest);
        Entry made = entry(text);
        made.id = id;
        const Entry& there = entries_[place(made)];
        const bool taken = there.id >= 0 && !there.same(made);
        if (taken && ++lost_ > entries_.size() / 1024 && entries_.size() < kMost) grow();
        insert(made);
    }
    std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }
    void clear() {
        entries_.clear();
        shift_ = kFirstShift;
        lost_ = 0;
    }

   private:
    struct Entry {
        std::uint64_t first = 0, last = 0;  // eight bytes each, which may overlap: the whole of a text up to kWhole
        std::uint32_t size = 0;
        std::int32_t id = -1;

        bool same(const Entry& other) const {
            return ((first ^ other.first) | (last ^ other.last) | (size ^ other.size)) == 0;
        }
    };
    static constexpr std::size_t kWhole = 16, kFewest = 64, kMost = 4096;
    static constexpr int kFirstShift = 58;

    static Entry entry(std::string_view text) {
        Entry made;
        const char* p = text.data();
        const std::size_t n = text.size();
        made.size = static_cast<std::uint32_t>(n);
        if (n >= 8) {
            std::memcpy(&made.first, p, 8);
            std::memcpy(&made.last, p + n - 8, 8);
            return made;
        }
        if (n >= 4) {
            std::uint32_t low, high;
            std::memcpy(&low, p, 4);
            std::memcpy(&high, p + n - 4, 4);
            made.first = std::uint64_t{high} << (8 * (n - 4)) | low;
        } else if (n > 0) {
            for (const std::size_t k : {std::size_t{0}, n / 2, n - 1})
                made.first |= std::uint64_t{static_cast<unsigned char>(p[k])} << (8 * k);
        }
        made.last = made.first;
        return made;
    }
    // The same, without branches, where eight bytes may be read.
    static Entry quick_entry(std::string_view text) {
        Entry made;
        const std::size_t n = text.size(), more = n > 8 ? n - 8 : 0;
        std::uint64_t mask = ~std::uint64_t{0};
        if constexpr (std::endian::native == std::endian::little)
            mask = n >= 8 ? mask : ~(mask << (8 * n));
        else
            return entry(text);
        made.size = static_cast<std::uint32_t>(n);
        std::memcpy(&made.first, text.data(), 8);
        std::memcpy(&made.last, text.data() + more, 8);
        made.first &= mask;
        made.last &= mask;
        return made;
    }
    void grow() {
        std::vector<Entry> old(2 * entries_.size());
        old.swap(entries_);
        --shift_;
        lost_ = 0;
        for (const Entry& one : old)
            if (one.id >= 0) insert(one);
    }
    // At its place or the one beside it; what is there moves over.
    void insert(const Entry& made) {
        Entry &one = entries_[place(made)], &other = entries_[place(made) ^ 1];
        if (one.id >= 0 && !one.same(made)) other = one;
        one = made;
    }
    std::size_t place(const Entry& e) const {
        return ((e.first ^ (e.last << 1)) * 0x9E3779B97F4A7C15ULL + e.size) >> shift_;
    }
    std::vector<Entry> entries_;
    int shift_ = kFirstShift;
    std::size_t lost_ = 0;  // texts that were driven out since it grew
};

// kCounts counts words; kText has words and pairs of them, by the logarithm of their counts.
enum class Kind { kUndecided, kNumber, kCategory, kHash, kCounts, kIgnored, kLabel, kWeight, kFlag, kTime, kText };

struct Column {
    std::string name;
    Kind kind = Kind::kUndecided;
    std::int64_t setting = 0;  // bits of kHash, kCounts and kText; the first time of kTime, in seconds
    bool numbers = false;      // what was met while looking ahead
    bool flags = false;
    bool times = false;
    bool others = false;
    std::int32_t id = -1;  // of the only feature of a number or a flag
    RecentTexts recent;    // of a category

    static constexpr std::int64_t kNoTime = -(std::int64_t{1} << 62);

    void decide() {
        if (kind != Kind::kUndecided || !(numbers || flags || times || others)) return;
        kind = others || (times && (numbers || flags)) ? Kind::kCategory
               : times                                 ? Kind::kTime
               : numbers                               ? Kind::kNumber
                                                       : Kind::kFlag;
        if (kind == Kind::kTime) setting = kNoTime;
    }
    void forget() {
        kind = Kind::kUndecided;
        numbers = flags = times = others = false;
    }
};

enum class Cell {
    kPlain,
    kString,
    kTrue,
    kFalse,
    kMissing
};  // kString: a typed format says that this is text, whatever it looks like

std::string_view text_of(double value, std::string& buffer);

class TableReader : public Reader {
   public:
    using Reader::Reader;

    std::vector<Column> columns;
    std::vector<std::string> missing;  // cells that stand for nothing
    bool looking = false;              // looking ahead: columns are judged, and rows have no features
    bool weights_wanted = false;       // a row without a weight is malformed
    bool gaps = true;                  // a missing number is NaN; otherwise it is absent, that is 0
    bool forgiving = false;            // a cell that does not fit its column is reported and taken as missing

    std::size_t memory() const override {
        std::size_t bytes = Reader::memory();
        for (const Column& column : columns) bytes += sizeof(Column) + column.name.capacity() + column.recent.memory();
        return bytes;
    }
    // It grows with every column that is added or decided.
    std::uint64_t changes() const { return decided_ + columns.size(); }
    // The columns without a kind get one, by the rows met while looking: numbers, flags or times, if every cell is one;
    // else categories. A column of missing cells stays undecided, and its first cell decides.
    void decide();

   protected:
    struct Row {
        std::size_t names_before = 0;
        std::int32_t label = LabelTable::kNone;
        bool labelled = false;
        double weight = 1.0;
        bool weighed = false;
    };
    void begin(Row& row);
    // False if the row is malformed, which has been reported.
    bool cell(Row& row, std::size_t column, std::string_view text, Cell type);
    // A cell of a typed format: NaN is missing; a time is in microseconds.
    bool number_cell(Row& row, std::size_t column, double value);
    void end(Row& row);
    void give_up(Row& row);
    bool is_missing(std::string_view text) const;

   private:
    bool refuse(const Column& column, std::string message);
    // The cell does not fit: the row is malformed, or the cell is missing.
    bool misfit(Column& column, std::string message);
    bool missing_cell(Column& column);
    void look(Column& column, std::string_view text, Cell type);
    bool number_text(Column& column, std::string_view text, Cell type);
    bool flag_text(Column& column, std::string_view text, Cell type);
    bool time_feature(Column& column, double micros);
    bool label_cell(Row& row, const Column& column, std::string_view text);
    bool number_feature(Column& column, double value);
    bool name_feature(const Column& column, std::string_view name);
    bool named_feature(const Column& column, std::string_view name, double value);
    bool words(const Column& column, std::string_view text);
    bool word(const Column& column, std::string_view text);
    bool count_words(const Column& column);

    std::string name_, word_, pair_, number_;
    std::int32_t named_ = -1;  // the feature that was named last
    std::uint64_t decided_ = 0;
    std::vector<std::pair<std::int32_t, std::size_t>> met_words_;  // features of a text's words, and their order
    std::vector<std::size_t> late_;   // the columns that this row has decided, should it turn out to be whole
    std::vector<std::size_t> dated_;  // those whose first time it has
};

}  // namespace onlineboost::text

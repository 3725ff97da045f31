// Rows of cells under named columns: what CSV, JSON lines and Arrow have in common.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/reader.hpp"

namespace onlineboost::text {

enum class Kind { kUndecided, kNumber, kCategory, kHash, kText, kIgnored, kLabel, kWeight };

struct Column {
    std::string name;
    Kind kind = Kind::kUndecided;
    int bits = 0;          // of kHash and kText
    bool numbers = false;  // what was met while looking ahead
    bool others = false;
    std::int32_t id = -1;  // of a kNumber column's only feature

    void decide() {
        if (kind == Kind::kUndecided && (numbers || others)) kind = others ? Kind::kCategory : Kind::kNumber;
    }
};

enum class Cell {
    kPlain,
    kString,
    kTrue,
    kFalse,
    kMissing
};  // kString: a typed format says that this is text, whatever it looks like

class TableReader : public Reader {
   public:
    using Reader::Reader;

    std::vector<Column> columns;
    std::vector<std::string> missing;  // cells that stand for nothing
    bool looking = false;              // looking ahead: columns are judged, and rows have no features
    bool weights_wanted = false;       // a row without a weight is malformed

    // The columns without a kind get one, by the rows met while looking: numbers, if every cell is one. A column of
    // missing cells stays undecided, and its first cell decides.
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
    bool number_cell(Row& row, std::size_t column, double value);
    void end(Row& row);
    void give_up(Row& row);
    bool is_missing(std::string_view text) const;

   private:
    bool refuse(const Column& column, std::string message);
    bool label_cell(Row& row, const Column& column, std::string_view text);
    bool number_feature(Column& column, double value);
    bool named_feature(const Column& column, std::string_view name, double value);
    bool words(const Column& column, std::string_view text);

    std::string name_, word_;
    std::vector<std::size_t> late_;  // the columns that this row has decided, should it turn out to be whole
};

}  // namespace onlineboost::text

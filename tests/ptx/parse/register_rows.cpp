// Rows of 32 lanes for virtual registers: liveness over the blocks of the code, then a linear scan. A kernel of some
// thousand virtual registers works in some dozen rows, which stay in the processor's cache.
#include <algorithm>
#include <set>

#include "tests/ptx/parse/function_parser.hpp"

namespace weir::ptx {
namespace {

// Of registers.
class Set {
 public:
  explicit Set(std::size_t size) : words((size + 63) / 64) {}
  bool has(int r) const { return words[static_cast<std::size_t>(r) / 64] >> (r % 64) & 1; }
  void add(int r) { words[static_cast<std::size_t>(r) / 64] |= u64{1} << (r % 64); }
  std::vector<u64> words;
};

struct BasicBlock {
  int begin, end;
  std::vector<int> successors;
  Set used, defined, live_in, live_out;
};

bool leaves(Kind k) { return k == Kind::ret || k == Kind::exit || k == Kind::trap; }
bool jumps(Kind k) { return k == Kind::branch || k == Kind::branch_table; }

std::vector<BasicBlock> blocks_of(const std::vector<Instruction>& code, std::size_t registers) {
  const int n = static_cast<int>(code.size());
  std::set<int> starts{0};
  for (int k = 0; k < n; ++k) {
    const Instruction& i = code[static_cast<std::size_t>(k)];
    if (i.kind == Kind::branch) starts.insert(i.target);
    if (i.kind == Kind::branch_table) starts.insert(i.table.begin(), i.table.end());
    if (jumps(i.kind) || leaves(i.kind)) starts.insert(k + 1);
  }
  starts.erase(n);
  std::vector<BasicBlock> blocks;
  std::map<int, int> block_at;
  for (auto s = starts.begin(); s != starts.end(); ++s) {
    const auto next = std::next(s);
    block_at[*s] = static_cast<int>(blocks.size());
    const Set none(registers);
    blocks.push_back({*s, next == starts.end() ? n : *next, {}, none, none, none, none});
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Instruction& last = code[static_cast<std::size_t>(blocks[b].end - 1)];
    if (last.kind == Kind::branch) blocks[b].successors.push_back(block_at.at(last.target));
    if (last.kind == Kind::branch_table)
      for (const int target : last.table) blocks[b].successors.push_back(block_at.at(target));
    const bool always = (jumps(last.kind) || leaves(last.kind)) && last.guard < 0;
    if (!always && b + 1 < blocks.size()) blocks[b].successors.push_back(static_cast<int>(b) + 1);
  }
  return blocks;
}

void find_liveness(const std::vector<Instruction>& code, std::vector<BasicBlock>& blocks) {
  for (BasicBlock& b : blocks)
    for (int k = b.begin; k < b.end; ++k) {
      const Instruction& i = code[static_cast<std::size_t>(k)];
      const auto use = [&](int r) {
        if (r >= 0 && !b.defined.has(r)) b.used.add(r);
      };
      for (const int r : i.in) use(r);
      use(i.guard);
      for (const int r : i.out)
        if (i.guard >= 0)
          use(r);  // the lanes that the guard leaves out keep their value
        else if (r >= 0)
          b.defined.add(r);
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
      for (std::size_t w = 0; w < b->used.words.size(); ++w) {
        u64 out = b->live_out.words[w];
        for (const int s : b->successors) out |= blocks[static_cast<std::size_t>(s)].live_in.words[w];
        const u64 in = b->used.words[w] | (out & ~b->defined.words[w]);
        changed = changed || in != b->live_in.words[w];
        b->live_out.words[w] = out;
        b->live_in.words[w] = in;
      }
    }
  }
}

struct Interval {
  int first = -1, last = -1;
  void cover(int k) {
    first = first < 0 ? k : std::min(first, k);
    last = std::max(last, k);
  }
  bool used() const { return last >= 0; }
};

// From the first to the last place where a register lives.
std::vector<Interval> intervals_of(const std::vector<Instruction>& code, std::size_t registers) {
  std::vector<BasicBlock> blocks = blocks_of(code, registers);
  find_liveness(code, blocks);
  std::vector<Interval> intervals(registers);
  for (std::size_t k = 0; k < code.size(); ++k) {
    const auto touch = [&](int r) {
      if (r >= 0) intervals[static_cast<std::size_t>(r)].cover(static_cast<int>(k));
    };
    for (const int r : code[k].in) touch(r);
    for (const int r : code[k].out) touch(r);
    touch(code[k].guard);
  }
  for (const BasicBlock& b : blocks)
    for (int r = 0; r < static_cast<int>(registers); ++r) {
      Interval& interval = intervals[static_cast<std::size_t>(r)];
      if (b.live_in.has(r) || b.live_out.has(r)) interval.cover(b.begin);
      if (b.live_out.has(r)) interval.cover(b.end - 1);
    }
  return intervals;
}

int row_bytes(int width) { return 32 * width; }

// Constants come first: their rows are copied into a register file once.
std::vector<int> place_constants(Function& f, const std::vector<Constant>& constants) {
  std::vector<int> rows;
  for (const Constant& c : constants) {
    const std::size_t at = f.constants.size();
    rows.push_back(static_cast<int>(at));
    f.constants.resize(at + static_cast<std::size_t>(row_bytes(c.width)));
    for (int lane = 0; lane < 32; ++lane)
      std::memcpy(&f.constants[at + static_cast<std::size_t>(c.width * lane)], &c.bits,
                  static_cast<std::size_t>(c.width));
  }
  return rows;
}

// Rows of one width for the registers of `order`, which begin one after the other. Returns the end of the rows.
int place_width(int width, int begin, const std::vector<int>& order, const std::vector<Interval>& intervals,
                std::vector<int>& rows) {
  std::vector<std::pair<int, int>> taken;  // last use, row
  std::vector<int> free_rows;
  int end = begin;
  for (const int r : order) {
    const Interval& interval = intervals[static_cast<std::size_t>(r)];
    std::erase_if(taken, [&](const std::pair<int, int>& t) {
      if (t.first >= interval.first) return false;
      free_rows.push_back(t.second);
      return true;
    });
    if (free_rows.empty()) {
      free_rows.push_back(end);
      end += row_bytes(width);
    }
    rows[static_cast<std::size_t>(r)] = free_rows.back();
    taken.emplace_back(interval.last, free_rows.back());
    free_rows.pop_back();
  }
  return end;
}

}  // namespace

void place_rows(Function& f, const Operands& operands) {
  const std::size_t count = operands.registers.size();
  const std::vector<Interval> intervals = intervals_of(f.code, count);
  const std::vector<int> constant_rows = place_constants(f, operands.constants);
  std::vector<int> rows(count, no_row);
  int end = static_cast<int>(f.constants.size());
  for (const auto& [special, r] : operands.specials) {
    rows[static_cast<std::size_t>(r)] = end;
    f.specials.emplace_back(end, special);
    end += row_bytes(4);
  }
  for (std::size_t r = 0; r < count; ++r)
    if (operands.registers[r].type == PRED && intervals[r].used()) {  // 32 bits: a bit a lane
      rows[r] = end;
      end += 4;
    }
  end = round_up(end, 256);
  for (const int width : {8, 4, 16}) {
    std::vector<int> order;
    for (std::size_t r = 0; r < count; ++r)
      if (operands.registers[r].width == width && intervals[r].used() && rows[r] == no_row)
        order.push_back(static_cast<int>(r));
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return intervals[static_cast<std::size_t>(a)].first < intervals[static_cast<std::size_t>(b)].first;
    });
    end = place_width(width, end, order, intervals, rows);
  }
  f.row_bytes = round_up(end, 256);
  const auto place = [&](int& operand) {
    if (operand >= 0)
      operand = rows[static_cast<std::size_t>(operand)];
    else if (operand != no_row)
      operand = constant_rows[static_cast<std::size_t>(-2 - operand)];
  };
  for (Instruction& i : f.code) {
    for (int& operand : i.in) place(operand);
    for (int& operand : i.out) place(operand);
    place(i.guard);
  }
}

}  // namespace weir::ptx

// A second solver of Breakthrough for `bench.solved`: within how many plies a side can force its win, by the rules alone.
//
// It shares nothing with the engine's: no races are counted, nothing is certain before the last rank is a step away.
// The side to move always goes up: the board is turned round after each ply. Boards have 32 squares at most.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Known {
    u64 key = 0;
    std::int8_t within = 0;  // plies within which the side to move wins; 0: not known
    std::int8_t beyond = 0;  // plies within which it does not
};

struct Step {
    u32 me, you;
    int order;
};

class Witness {
  public:
    Witness(int files, int ranks, int bits) : files(files), cells(files * ranks), known(std::size_t{1} << bits) {
        last_but_one = row << files * (ranks - 2);
        for (int part = 0; part < 4; ++part)
            for (u32 byte = 0; byte < 256; ++byte)
                for (int bit = 0; bit < 8; ++bit) {
                    const int at = 8 * part + bit;
                    if (!(byte >> bit & 1) || at >= cells) continue;
                    turned_[part][byte] |= u32{1} << (cells - 1 - at);
                    mirrored_[part][byte] |= u32{1} << (at - at % files + files - 1 - at % files);
                }
    }

    /// The plies of the quickest forced win, less than 0 where the other side has it.
    int plies(u32 me, u32 you) {
        for (int count = 1;; ++count) {
            if (count % 2 && wins(me, you, count)) return count;
            if (count % 2) continue;
            Step steps[96];
            const int all = listed(me, you, steps);
            if (std::all_of(steps, steps + all, [&](const Step& step) {
                    return wins(turned(step.you), turned(step.me), count - 1);
                }))
                return -count;
        }
    }

    u32 row_of_two() const { return (u32{1} << 2 * files) - 1; }
    u32 turned(u32 men) const { return mapped(turned_, men); }

  private:
    static u32 mapped(const u32 (&table)[4][256], u32 men) {
        return table[0][men & 255] | table[1][men >> 8 & 255] | table[2][men >> 16 & 255] | table[3][men >> 24];
    }

    /// All steps, save those that leave a man a step from home; the furthest and captures first.
    int listed(u32 me, u32 you, Step* steps) const {
        int count = 0;
        const u32 threats = you & row << files;
        for (u32 men = me; men; men &= men - 1) {
            const int from = __builtin_ctz(men);
            for (int aside = -1; aside <= 1; ++aside) {
                if (from % files + aside < 0 || from % files + aside >= files) continue;
                const u32 to = u32{1} << (from + files + aside);
                if (to & me || (!aside && to & you) || (threats && !(to & threats))) continue;
                steps[count++] = {(me ^ u32{1} << from) | to, you & ~to, (from + files) / files * 4 + (to & you ? 6 : 0)};
            }
        }
        std::sort(steps, steps + count, [](const Step& a, const Step& b) { return a.order > b.order; });
        return count;
    }

    /// Whether the side to move, whose own last rank nobody has reached, forces a win within so many plies, an odd number.
    bool wins(u32 me, u32 you, int within) {
        if (me & last_but_one) return true;  // a man there can always step on, for nobody of its own stands ahead
        if (within == 1) return !(you & (you - 1)) && taken(me, you);
        const u64 seen = u64{me} << 32 | you, mirror = u64{mapped(mirrored_, me)} << 32 | mapped(mirrored_, you);
        const u64 key = std::min(seen, mirror);
        u64 mixed = (key ^ key >> 31) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
        Known* pair = &known[(mixed ^ mixed >> 32) & (known.size() - 2)];
        Known* slot = std::max(pair[0].within, pair[0].beyond) <= std::max(pair[1].within, pair[1].beyond) ? pair : pair + 1;
        for (Known* one : {pair, pair + 1})
            if (one->key == key) slot = one;
        if (slot->key != key) *slot = {key};
        if (slot->within && slot->within <= within) return true;
        if (slot->beyond >= within) return false;
        Step steps[96], answers[96];
        const int all = listed(me, you, steps);
        const bool won = std::any_of(steps, steps + all, [&](const Step& step) {
            if (!step.you) return true;
            const u32 they = turned(step.you), we = turned(step.me);
            if (they & last_but_one) return false;
            const int count = listed(they, we, answers);
            // What was not listed leaves our man a step from home.
            return std::all_of(answers, answers + count, [&](const Step& answer) {
                return answer.you && wins(turned(answer.you), turned(answer.me), within - 2);
            });
        });
        if (slot->key != key) *slot = {key};  // others came meanwhile
        if (won) slot->within = static_cast<std::int8_t>(within);
        else slot->beyond = std::max(slot->beyond, static_cast<std::int8_t>(within));
        return won;
    }

    bool taken(u32 me, u32 you) const {
        Step steps[96];
        const int all = listed(me, you, steps);
        return std::any_of(steps, steps + all, [](const Step& step) { return !step.you; });
    }

    const int files, cells;
    const u32 row = (u32{1} << files) - 1;
    u32 last_but_one;
    u32 turned_[4][256] = {}, mirrored_[4][256] = {};
    std::vector<Known> known;
};

}  // namespace

/// The plies of the quickest win from the start of a board, less than 0 where the second player has it.
extern "C" int witness(int files, int ranks, int bits) {
    Witness solver(files, ranks, bits);
    const u32 start = solver.row_of_two();
    return solver.plies(start, solver.turned(start));
}

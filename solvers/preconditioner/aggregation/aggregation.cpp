// Options of aggregation, memory, description.
#include "solvers/preconditioner/aggregation/aggregation.hpp"

#include <cmath>

#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr Option aggregation_keys[] = {
    {"interpolation", Option::text, "constant",
     "interpolation from the aggregates; constant: constant in each aggregate; smoothed: smoothed aggregation, for "
     "symmetric scalar matrices, whose iterations hardly grow on finer grids (only the keys pre, post, strength, "
     "levels and coarse_rows apply)",
     "constant | smoothed"},
    {"smoother", Option::table, "{ type = \"block_ilu0\" }",
     "smoother of every level but the coarsest, any preconditioner for block CSR", "preconditioner"},
    {"pre", Option::integer, "depends on interpolation: 0; smoothed: 2",
     "number of pre-smoothing sweeps (smoothed: degree of a Chebyshev polynomial in D^-1 A)", "[0, inf)", "sweeps"},
    {"post", Option::integer, "depends on interpolation: 1; smoothed: 2",
     "number of post-smoothing sweeps (smoothed: degree of a Chebyshev polynomial in D^-1 A)", "[0, inf)", "sweeps"},
    {"cycle", Option::text, "V",
     "type of the cycle; V: one cycle on the next coarser level; W: two cycles; K: up to two steps of GCR "
     "preconditioned by the cycle (Notay & Vassilevski 2008), which requires fgmres because it depends on r",
     "V | W | K"},
    {"passes", Option::integer, "2", "number of passes of pairwise aggregation: an aggregate has at most 2^passes rows",
     "[1, inf)"},
    {"strength", Option::number, "0.25",
     "strength threshold: couplings weaker than this fraction of the largest one in the row are ignored in the "
     "aggregation",
     "[0, 1]"},
    {"scaling", Option::number, "1.0",
     "factor by which a coarse-level correction is multiplied (over-correction); piecewise-constant interpolation "
     "overestimates second derivatives, so that corrections without this factor are too small",
     "(0, inf)"},
    {"diffusion", Option::number, "1.0",
     "factor on the diffusive coupling between aggregates on coarse levels, which piecewise-constant interpolation "
     "overestimates; recommended for upwind schemes: 0.8; below 0.7 the cycle diverges",
     "(0, 1]"},
    {"coarse_storage", Option::text, "double", "storage of the matrices of the coarse levels", "double | float", "",
     "coarse_matrices, single=float"},
    {"levels", Option::integer, "20", "largest number of levels", "[2, inf)"},
    {"coarse_rows", Option::integer, "32", "largest number of block rows of the coarsest level", "[1, inf)",
     "block rows"},
    {"gather_rows", Option::integer, "1024",
     "largest number of block rows, over all ranks, of a level that every rank holds and solves whole (parallel runs)",
     "[0, inf)", "block rows"}};

// Keys of constant interpolation only; those of the other are neither read nor written into the effective
// configuration.
void read_constant(const Table& t, AggregationOptions& o) {
  o.smoother = t.table("smoother");
  read_keys(t, "cycle", o.cycle, "passes", o.passes, "diffusion", o.diffusion, "scaling", o.scaling, "gather_rows",
            o.gather_rows);
  o.coarse_floats = t.get<std::string>("coarse_storage") == "float";
  if (o.smoother_type() == "aggregation") o.smoother.fail("type", "aggregation cannot be its own smoother");
}

AggregationOptions read_aggregation_options(const Table& t) {
  AggregationOptions o;
  o.smoothed = t.get<std::string>("interpolation") == "smoothed";
  o.pre = t.get("pre", o.smoothed ? 2 : 0);
  o.post = t.get("post", o.smoothed ? 2 : 1);
  read_keys(t, "levels", o.levels, "coarse_rows", o.coarse_rows, "strength", o.strength);
  if (o.pre + o.post == 0) t.fail("post", "'pre' and 'post' must not both be 0");
  if (!o.smoothed) read_constant(t, o);
  for (const char* key : {"smoother", "cycle", "passes", "scaling", "diffusion", "coarse_storage", "gather_rows"})
    if (o.smoothed && t.has(key)) t.fail(key, "applies to interpolation = \"constant\" only");
  return o;
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_aggregation(const Table& options) {
  const AggregationOptions o = read_aggregation_options(options.described_by(aggregation_keys));
  return o.smoothed ? aggregation::make_smoothed<Space>(o) : aggregation::make<Space>(o);
}

// P and P^T have about two entries per row of the finest level, a coarse level a sixth of the rows with nine entries
// each; three vectors per row.
double bytes_of_smoothed(const MatrixSize& A) {
  return 1.25 * A.rows * (2 * 2 * 12 + 2 * 8 + 3 * 8) + 0.2 * A.rows * 9 * 12;
}

// Per level: two numbers per block, lists of rows and a vector. Each coarse level has about a quarter of the rows
// (passes = 2) with five or six blocks each.
double aggregation_bytes(const Table& options, const MatrixSize& A) {
  const AggregationOptions o = read_aggregation_options(options.described_by(aggregation_keys));
  if (o.smoothed) return bytes_of_smoothed(A);
  const std::string type = o.smoother_type();
  const int value = o.coarse_floats ? 4 : 8;
  const int vectors = o.cycle == "V" ? 3 : o.cycle == "W" ? 5 : 7;
  double bytes = preconditioner_bytes(type, o.smoother, A) + 8 * A.blocks + 13 * A.rows + 8 * A.unknowns();
  const double ratio = 0.03 + std::pow(0.5, o.passes);
  for (double rows = ratio * A.rows; rows > o.coarse_rows; rows *= ratio) {
    const MatrixSize level{rows, 5.5 * rows, A.block, value};
    bytes += level.csr_bytes() + preconditioner_bytes(type, o.smoother, level) + 8 * level.blocks + 13 * rows +
             8 * vectors * level.unknowns();
  }
  return bytes;
}

}  // namespace

constexpr PreconditionerDescription preconditioner::aggregation{
    .name = "aggregation",
    .meaning = "algebraic multigrid by plain or smoothed aggregation",
    .citation = "Vanek, Mandel & Brezina 1996; Notay 2010; Lallemand, Steve & Dervieux 1992",
    .options = aggregation_keys,
    .matrices = on_any_matrix,
    .over_ranks = on_any_matrix,
    .update_cost = 2,
    .tried_with = "gmres",
    .bytes = aggregation_bytes,
    .make_host = make_aggregation<Host>,
    .make_device = make_aggregation<Device>};

}  // namespace weir

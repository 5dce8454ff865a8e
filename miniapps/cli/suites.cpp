#include "miniapps/cli/suites.hpp"

#include "tests/benchmarks/anzt/anzt.hpp"
#include "tests/benchmarks/block_jacobi.hpp"
#include "tests/benchmarks/kernels.hpp"
#include "tests/benchmarks/lab/aa.hpp"
#include "tests/benchmarks/lab/leader.hpp"
#include "tests/benchmarks/liu/liu.hpp"
#include "tests/benchmarks/luo/luo.hpp"
#include "tests/benchmarks/multicolor.hpp"
#include "tests/benchmarks/orderings.hpp"
#include "tests/benchmarks/scaling/scaling.hpp"

namespace weir {
namespace {

bench::LuoOptions luo(const SuiteOptions& o) { return {o.folder, o.quick}; }
bench::AnztOptions anzt(const SuiteOptions& o) { return {o.folder, o.quick}; }

bench::LiuOptions liu(const SuiteOptions& o) { return {o.folder, o.quick}; }

}  // namespace

std::vector<Suite> benchmark_suites(const std::shared_ptr<Communicator>& ranks) {
  return {
      {"kernels", [](const SuiteOptions& o) { return bench::bench_kernels(o.json_path); }},
      {"orderings", [](const SuiteOptions& o) { return bench::bench_orderings(o.json_path); }},
      {"halo",
       [ranks](const SuiteOptions& o) {
         return bench::bench_halo(*ranks, {o.folder, o.quick});
       }},
      {"scaling",
       [ranks](const SuiteOptions& o) {
         return bench::bench_scaling(*ranks, {o.folder, o.quick});
       }},
      {"block-jacobi",
       [](const SuiteOptions& o) { return bench::bench_block_jacobi(o.folder + "/block_jacobi.csv", o.quick); }},
      {"zubair", [](const SuiteOptions& o) { return bench::bench_multicolor(o.folder + "/zubair.csv", o.quick); }},
      {"zubair-984k",
       [](const SuiteOptions& o) { return bench::bench_multicolor_984k(o.folder + "/zubair_984k.csv", o.quick); }},
      {"luo-table1", [](const SuiteOptions& o) { return bench::luo_table1(luo(o)); }},
      {"luo-tables", [](const SuiteOptions& o) { return bench::luo_tables(luo(o)); }},
      {"luo-fig8", [](const SuiteOptions& o) { return bench::luo_fig8(luo(o)); }},
      {"luo-fig9", [](const SuiteOptions& o) { return bench::luo_fig9(luo(o)); }},
      {"luo-fig10", [](const SuiteOptions& o) { return bench::luo_fig10(luo(o)); }},
      {"anzt-select", [](const SuiteOptions& o) { return bench::anzt_select(anzt(o)); }},
      {"anzt-gmres", [](const SuiteOptions& o) { return bench::anzt_gmres(anzt(o)); }},
      {"anzt-stages", [](const SuiteOptions& o) { return bench::anzt_stages(anzt(o)); }},
      {"anzt-peers", [](const SuiteOptions& o) { return bench::anzt_peers(anzt(o)); }},
      {"liu-iterations", [](const SuiteOptions& o) { return bench::liu_iterations(liu(o)); }},
      {"liu-setup", [](const SuiteOptions& o) { return bench::liu_setup(liu(o)); }},
      {"liu-systems", [](const SuiteOptions& o) { return bench::liu_systems(liu(o)); }},
      {"lab-cavity",
       [](const SuiteOptions& o) {
         return bench::lab_cavity({o.folder, o.quick});
       }},
      {"lab-aerofoil",
       [](const SuiteOptions& o) {
         return bench::lab_aerofoil({o.folder, o.quick});
       }},
      {"lab-cylinder",
       [](const SuiteOptions& o) {
         return bench::lab_cylinder({o.folder, o.quick});
       }},
      {"lab-leader-cavity",
       [](const SuiteOptions& o) {
         return bench::lab_leader_cavity({o.folder, o.quick});
       }},
      {"lab-leader-aerofoil",
       [](const SuiteOptions& o) {
         return bench::lab_leader_aerofoil({o.folder, o.quick});
       }},
  };
}

}  // namespace weir

#include "base/error.hpp"
#include "miniapps/cli/lists.hpp"

namespace weir {

const std::vector<Quantity>& quantities() {
  constexpr const char* all = "all";
  static const std::vector<Quantity> list = {
      {"kinetic_energy", "incompressible", "mean of |u|^2 / 2 over the box"},
      {"max_divergence", "incompressible", "largest |div u| of a cell"},
      {"dissipation", "incompressible", "kinematic viscosity times the mean of |grad u|^2"},
      {"rate", "incompressible", "largest |du/dt|"},
      {"residual", "incompressible", "last residual (artificial_compressibility)"},
      {"error_velocity_max", "incompressible", "largest difference to the exact flow"},
      {"error_velocity_l2", "incompressible, compressible", "its root mean square"},
      {"error_pressure_l2", "incompressible, compressible", "root mean square of the pressure's difference"},
      {"drag_mean", "immersed", "drag coefficient from the surface's force, from average_from on"},
      {"drag_amplitude", "immersed", "half the distance of its extremes"},
      {"drag_max", "immersed", "its largest value"},
      {"drag_noise", "immersed", "largest deviation of drag from 12 harmonics of forces_period, over the amplitude"},
      {"drag_control_volume", "immersed", "mean drag coefficient from the momentum balance of control_volume"},
      {"lift_mean", "immersed", "as drag_mean"},
      {"lift_amplitude", "immersed", "as drag_amplitude"},
      {"lift_max", "immersed", "as drag_max"},
      {"strouhal", "immersed", "frequency of the lift times reference_length / reference_velocity"},
      {"wake_length", "immersed", "of the backflow behind the body, over reference_length"},
      {"force_agreement", "immersed", "rms difference of the two drags, over that of drag"},
      {"max_mass_error", "immersed", "largest divergence of a cut cell's fluxes"},
      {"volume_error", "immersed", "largest relative error of a cavity's volume"},
      {"geometry_copies", "immersed", "copies to the device in the last step"},
      {"geometry_bytes", "immersed", "their size"},
      {"entropy_error", "compressible", "root mean square of p / rho^gamma over the free stream's, minus 1"},
      {"mach_max", "compressible", "largest Mach number"},
      {"lift", "compressible", "lift coefficient"},
      {"drag", "compressible", "drag coefficient"},
      {"drag_pressure", "compressible", "its part from the pressure"},
      {"drag_viscous", "compressible", "its part from friction"},
      {"cp_min", "compressible", "smallest pressure coefficient on the walls"},
      {"cp_max", "compressible", "largest pressure coefficient on the walls"},
      {"separation", "compressible", "x where the upper side's skin friction changes sign, over reference_length"},
      {"y_plus_max", "compressible", "largest y+ of the cells at the walls (turbulent)"},
      {"eddy_viscosity_max", "compressible", "largest, over the free stream's viscosity (turbulent)"},
      {"cf_blasius_error", "compressible", "largest relative error of a flat plate's skin friction, 0.3 < x < 1"},
      {"error_density_l1", "compressible", "mean difference to the exact flow"},
      {"error_density_l2", "compressible", "its root mean square"},
      {"error_density_max", "compressible", "its largest value"},
      {"pressure_ratio", "compressible", "over an oblique shock"},
      {"shock_angle", "compressible", "of an oblique shock, degrees"},
      {"residual_drop", "compressible", "last residual over the first (steady)"},
      {"linear_iterations", "compressible", "of all steps (steady)"},
      {"steps_second_order", "compressible", "steps after the first-order start (steady)"},
      {"value_NAME", "compressible", "cp or cf at the place `at` of a [[surface]]"},
      {"NAME_separation", "incompressible, immersed", "of a [[surface]]: first place where its shear turns negative"},
      {"NAME_reattachment", "incompressible, immersed", "last place where it turns positive"},
      {"NAME_heat_flux", "incompressible", "mean of -diffusivity dT/dn on it, into the fluid"},
      {"NAME_SCALAR_flux", "incompressible", "the same of [scalar.SCALAR]"},
      {"SCALAR_total", "incompressible", "integral of [scalar.SCALAR] over the box"},
      {"SCALAR_min", "incompressible", "its smallest value"},
      {"SCALAR_max", "incompressible", "its largest value"},
      {"SCALAR_centre_x", "incompressible", "its first moment over its total; also y, z"},
      {"SCALAR_variance_x", "incompressible", "its second moment about that, over its total; also y, z"},
      {"error_SCALAR_l2", "incompressible", "root mean square of the difference to `exact` (temperature too)"},
      {"error_SCALAR_max", "incompressible", "its largest value"},
      {"nusselt", "immersed",
       "of the body: mean flux times reference_length over diffusivity (mean - that of the inlets, else of the sides)"},
      {"body_heat_flux", "immersed", "its mean, into the fluid"},
      {"body_temperature", "immersed", "mean over the body's surface"},
      {"sherwood_SCALAR", "immersed", "as nusselt, of [scalar.SCALAR]"},
      {"body_SCALAR_flux", "immersed", "as body_heat_flux"},
      {"body_SCALAR", "immersed", "as body_temperature"},
      {"error_NAME", all, "largest difference to the published data of a [[probe]] or [[surface]]"}};
  return list;
}

const std::vector<Quantity>& history_columns() {
  constexpr const char *all = "all", *flow = "incompressible", *coupled = "incompressible (artificial_compressibility)";
  static const std::vector<Quantity> list = {
      {"step, time, dt", all, "one row a step; time at its end"},
      {"cfl", all, "largest CFL number of the step"},
      {"max_divergence, kinetic_energy, rate", flow, "as the quantities above, each diagnostics_every steps"},
      {"SCALAR_total", "incompressible", "integral of [scalar.SCALAR] over the box, each diagnostics_every steps"},
      {"residual_p, residual_u, residual_v, residual_w, residual_k, residual_omega", coupled, "of the equations"},
      {"sub_iterations, pseudo_cfl", coupled, "pseudo-time steps of the step, and their last CFL number"},
      {"drag, lift", "immersed, compressible", "coefficients of the force on the body"},
      {"drag_control_volume, lift_control_volume", "immersed", "from the momentum balance of control_volume"},
      {"max_mass_error, volume", "immersed", "largest divergence of a cut cell's fluxes; volume of a cavity"},
      {"residual_density, residual_momentum_x, residual_momentum_y, residual_energy", "compressible",
       "of the equations"},
      {"linear_iterations, order", "compressible", "of the step; order of the scheme in space"},
      {"residual_turbulence", "compressible", "of the equation of the turbulence model (turbulent)"},
      {"wall", all, "seconds since the start"}};
  return list;
}

const std::vector<std::array<const char*, 2>>& solves_columns() {
  static const std::vector<std::array<const char*, 2>> list = {
      {"step, system, solver, unknowns", "which solve; one row each"},
      {"iterations, reason", "how it ended"},
      {"r0, r_true, target", "norms: first residual, |b - A x| at the end, what was asked for"},
      {"tolerance, tolerance_reason",
       "that held, and why: fixed, or the forcing term's rule (initial, ratio, safeguard, goal, max, limit, again: a "
       "step was "
       "rejected)"},
      {"setup_ms, solve_ms", "of the preconditioner's set-up or update, and of the solve, milliseconds"},
      {"apply_ms, spmv_ms, reduce_ms, halo_ms",
       "parts of solve_ms: preconditioner, matrix-vector products, reductions, halo exchange"},
      {"transfer_bytes", "between host and device"},
      {"preconditioner_age", "solves since its set-up"},
      {"ilu_residual", "an incomplete factorisation's remainder"},
      {"dominance_L, dominance_U", "largest ratio of off-diagonal sum to diagonal of the factors' rows"}};
  return list;
}

const std::vector<ExitCode>& exit_codes() {
  static const std::vector<ExitCode> list = {{0, "finished"},           {1, "internal error"},
                                             {2, "usage or case file"}, {3, "solver failed"},
                                             {4, "not finite"},         {5, "[check] out of tolerance"},
                                             {6, "file I/O"},           {7, "out of memory"},
                                             {8, "device unavailable"}, {9, "wall limit"}};
  return list;
}

}  // namespace weir

"""The layout of amdgpu's gpu_metrics by version: (size of a number in bytes, names), in file order.

Numbers are little-endian and aligned to their own size. "name*8": eight of them in a row. A
record is listed up to the last part that is used. Names include the unit if versions differ in it.

Source  Linux drivers/gpu/drm/amd/include/kgd_pp_interface.h: struct gpu_metrics_v1_0 to v3_0, amdgpu_xcp_metrics,
        enum amdgpu_metrics_attr_id; read 2026-11-23
"""

from typing import Final

Layout = tuple[tuple[int, str], ...]

_BOARD: Final = (
    "temperature_edge temperature_hotspot temperature_mem temperature_vrgfx temperature_vrsoc temperature_vrmem "
    "average_gfx_activity average_umc_activity average_mm_activity average_socket_power"
)
_BOARD_CLOCKS: Final = (
    "average_gfxclk average_socclk average_uclk average_vclk0 average_dclk0 average_vclk1 average_dclk1 "
    "current_gfxclk current_socclk current_uclk current_vclk0 current_dclk0 current_vclk1 current_dclk1"
)
_V1_1: Final[Layout] = (
    (2, _BOARD),
    (8, "energy system_clock"),
    (2, _BOARD_CLOCKS),
    (4, "throttle_status"),
    (2, "current_fan_speed pcie_link_width pcie_link_speed padding"),
    (4, "gfx_activity_acc mem_activity_acc"),
    (2, "temperature_hbm*4"),
)
_V1_3: Final[Layout] = (
    *_V1_1,
    (8, "firmware_timestamp"),
    (2, "voltage_soc voltage_gfx voltage_mem padding1"),
    (8, "indep_throttle_status"),
)

_OAM: Final = (
    "temperature_hotspot temperature_mem temperature_vrsoc curr_socket_power average_gfx_activity average_umc_activity"
)
_LINKS: Final[Layout] = (
    (2, "pcie_link_width pcie_link_speed xgmi_link_width xgmi_link_speed"),
    (4, "gfx_activity_acc mem_activity_acc"),
    (8, "pcie_bandwidth_acc pcie_bandwidth_inst pcie_l0_to_recov pcie_replay pcie_replay_rollover"),
)
_NAKS: Final[Layout] = ((4, "pcie_nak_sent pcie_nak_received"),)
_XGMI: Final[Layout] = ((8, "xgmi_read_kilobytes*8 xgmi_write_kilobytes*8"),)
_CLOCKS: Final[Layout] = (
    (8, "firmware_timestamp"),
    (2, "current_gfxclk*8 current_socclk*4 current_vclk0*4 current_dclk0*4 current_uclk num_partition"),
)
_RESIDENCIES: Final = (
    "accumulation_counter prochot_residency ppt_residency socket_thermal_residency vr_thermal_residency "
    "hbm_thermal_residency"
)
_V1_4: Final[Layout] = (
    (2, f"{_OAM} vcn_activity*4"),
    (8, "energy_2e16 system_clock"),
    (4, "throttle_unused gfxclk_lock_status"),
    *_LINKS,
    *_XGMI,
    *_CLOCKS[:1],
    (2, "current_gfxclk*8 current_socclk*4 current_vclk0*4 current_dclk0*4 current_uclk padding"),
)
_V1_5: Final[Layout] = (
    (2, f"{_OAM} vcn_activity*4 jpeg_activity*32"),
    *_V1_4[1:3],
    *_LINKS,
    *_NAKS,
    *_XGMI,
    *_V1_4[-2:],
)
_V1_6: Final[Layout] = (
    (2, _OAM),
    (8, "energy_2e16 system_clock"),
    (4, f"{_RESIDENCIES} gfxclk_lock_status"),
    *_LINKS,
    *_NAKS,
    *_XGMI,
    *_CLOCKS,
)
_V1_7: Final[Layout] = (
    (2, _OAM),
    (8, "mem_max_bandwidth energy_2e16 system_clock"),
    (4, f"{_RESIDENCIES} gfxclk_lock_status"),
    *_LINKS,
    *_NAKS,
    *_XGMI,
    (2, "xgmi_link_status*8 padding"),
    *_CLOCKS,
)

_APU: Final = (
    "temperature_gfx temperature_soc temperature_core*8 temperature_l3*2 average_gfx_activity average_mm_activity"
)
_APU_CLOCKS: Final = (
    "average_socket_power average_cpu_power average_soc_power average_gfx_power average_core_power*8 average_gfxclk "
    "average_socclk average_uclk average_fclk average_vclk average_dclk current_gfxclk current_socclk current_uclk "
    "current_fclk current_vclk current_dclk current_coreclk*8 current_l3clk*2"
)
_V2_1: Final[Layout] = (
    (2, _APU),
    (8, "system_clock"),
    (2, _APU_CLOCKS),
    (4, "throttle_status"),
    (2, "fan_pwm padding*3"),
)
_V2_2: Final[Layout] = (*_V2_1, (8, "indep_throttle_status"))
_V3_0: Final[Layout] = (
    (2, "temperature_gfx_centi temperature_soc_centi temperature_core*16 temperature_skin average_gfx_activity"),
    (2, "average_vcn_activity average_ipu_activity*8 average_core_c0_activity*16"),
    (2, "average_dram_reads average_dram_writes average_ipu_reads average_ipu_writes"),
    (8, "system_clock"),
    (4, "average_socket_milliwatts"),
    (2, "average_ipu_power"),
    (4, "average_apu_power average_gfx_power average_dgpu_power average_all_core_power"),
    (2, "average_core_power*16 average_sys_power stapm_power_limit current_stapm_power_limit"),
    (
        2,
        "average_gfxclk average_socclk average_vpeclk average_ipuclk average_fclk average_vclk "
        "average_uclk average_mpipu",
    ),
    (2, "current_coreclk*16 current_core_maxfreq current_gfx_maxfreq"),
    (4, "prochot_residency spl_residency fppt_residency sppt_residency thermal_core_residency"),
    (4, "thermal_gfx_residency thermal_soc_residency"),
)

LAYOUTS: Final[dict[tuple[int, int], Layout]] = {
    (1, 0): (
        (8, "system_clock"),
        (2, _BOARD),
        (4, "energy"),
        (2, _BOARD_CLOCKS),
        (4, "throttle_status"),
    ),
    (1, 1): _V1_1,
    (1, 2): _V1_1,
    (1, 3): _V1_3,
    (1, 4): _V1_4,
    (1, 5): _V1_5,
    (1, 6): _V1_6,
    (1, 7): _V1_7,
    (1, 8): _V1_7,
    (2, 0): (
        (8, "system_clock"),
        (2, f"{_APU} {_APU_CLOCKS}"),
        (4, "throttle_status"),
    ),
    (2, 1): _V2_1,
    (2, 2): _V2_2,
    (2, 3): _V2_2,
    (2, 4): _V2_2,
    (3, 0): _V3_0,
}

# Versions whose record goes on with eight partitions, and how long it is at least: a shorter 1.6 is an older draft,
# laid out in another way. Each partition begins with eight numbers of four bytes: how busy its dies are.
WITH_PARTITIONS: Final = {(1, 6): 1664, (1, 7): 2208, (1, 8): 2208}
PARTITIONS: Final = 8
DIES: Final = 8

# Version 1.9 tells of each number what it is; these are the numbers' own names, by their number.
_ATTRIBUTES: Final = (
    "temperature_hotspot temperature_mem temperature_vrsoc curr_socket_power average_gfx_activity average_umc_activity "
    f"mem_max_bandwidth energy_2e16 system_clock {_RESIDENCIES} gfxclk_lock_status "
    "pcie_link_width pcie_link_speed xgmi_link_width xgmi_link_speed gfx_activity_acc mem_activity_acc "
    "pcie_bandwidth_acc pcie_bandwidth_inst pcie_l0_to_recov pcie_replay pcie_replay_rollover pcie_nak_sent "
    "pcie_nak_received xgmi_read_kilobytes xgmi_write_kilobytes xgmi_link_status firmware_timestamp "
    "current_gfxclk current_socclk current_vclk0 current_dclk0 current_uclk"
)
ATTRIBUTES: Final = dict(enumerate(_ATTRIBUTES.split()))

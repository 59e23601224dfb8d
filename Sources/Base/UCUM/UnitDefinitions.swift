/// The definitions of UCUM's units (version 2.2, tables 3 to 29), in a compact form of our own.
enum UnitDefinitions {
    /// A line a unit: its code, “*” if it takes prefixes, the value, and the units that the value counts.
    static let ratios = """
        % 0.01 1
        [ppth] 1e-3 1
        [ppm] 1e-6 1
        [ppb] 1e-9 1
        [pptr] 1e-12 1
        mol * 6.02214076e23 1
        sr * 1 rad2
        Hz * 1 /s
        N * 1 kg.m/s2
        Pa * 1 N/m2
        J * 1 N.m
        W * 1 J/s
        A * 1 C/s
        V * 1 J/C
        F * 1 C/V
        Ohm * 1 V/A
        S * 1 A/V
        Wb * 1 V.s
        T * 1 Wb/m2
        H * 1 Wb/A
        lm * 1 cd.sr
        lx * 1 lm/m2
        Bq * 1 /s
        Gy * 1 J/kg
        Sv * 1 J/kg
        deg 1/180 [pi].rad
        gon * 0.9 deg
        ' 1/60 deg
        '' 1/60 '
        l * 1 dm3
        L * 1 l
        ar * 100 m2
        min 60 s
        h 60 min
        d 24 h
        a_t 365.24219 d
        a_j 365.25 d
        a_g 365.2425 d
        a 1 a_j
        wk 7 d
        mo_s 29.53059 d
        mo_j 1/12 a_j
        mo_g 1/12 a_g
        mo 1 mo_j
        t * 1000 kg
        bar * 1e5 Pa
        u * 1.66053906660e-24 g
        [e] * 1.602176634e-19 C
        eV * 1 [e].V
        AU 149597.870691 Mm
        pc * 3.085678e16 m
        [c] * 299792458 m/s
        [h] * 6.62607015e-34 J.s
        [k] * 1.380649e-23 J/K
        [eps_0] * 8.854187817e-12 F/m
        [mu_0] * 4e-7 [pi].N/A2
        [m_e] * 9.1093837015e-28 g
        [m_p] * 1.67262192369e-24 g
        [G] * 6.67430e-11 m3/kg/s2
        [g] * 9.80665 m/s2
        atm 101325 Pa
        [ly] * 1 [c].a_j
        gf * 1 g.[g]
        Ky * 1 /cm
        Gal * 1 cm/s2
        dyn * 1 g.cm/s2
        erg * 1 dyn.cm
        P * 1 dyn.s/cm2
        Bi * 10 A
        St * 1 cm2/s
        Mx * 1e-8 Wb
        G * 1e-4 T
        Oe * 250 A/[pi]/m
        Gb * 1 Oe.cm
        sb * 1 cd/cm2
        Lmb * 1 cd/cm2/[pi]
        ph * 1e-4 lx
        Ci * 37e9 Bq
        R * 2.58e-4 C/kg
        RAD * 100 erg/g
        REM * 1 RAD
        [in_i] 2.54 cm
        [ft_i] 12 [in_i]
        [yd_i] 3 [ft_i]
        [mi_i] 5280 [ft_i]
        [fth_i] 6 [ft_i]
        [nmi_i] 1852 m
        [kn_i] 1 [nmi_i]/h
        [sin_i] 1 [in_i]2
        [sft_i] 1 [ft_i]2
        [syd_i] 1 [yd_i]2
        [cin_i] 1 [in_i]3
        [cft_i] 1 [ft_i]3
        [cyd_i] 1 [yd_i]3
        [bf_i] 144 [in_i]3
        [cr_i] 128 [ft_i]3
        [mil_i] 1e-3 [in_i]
        [cml_i] 1/4 [pi].[mil_i]2
        [hd_i] 4 [in_i]
        [ft_us] 1200/3937 m
        [yd_us] 3 [ft_us]
        [in_us] 1/12 [ft_us]
        [rd_us] 16.5 [ft_us]
        [ch_us] 4 [rd_us]
        [lk_us] 1/100 [ch_us]
        [rch_us] 100 [ft_us]
        [rlk_us] 1/100 [rch_us]
        [fth_us] 6 [ft_us]
        [fur_us] 40 [rd_us]
        [mi_us] 8 [fur_us]
        [acr_us] 160 [rd_us]2
        [srd_us] 1 [rd_us]2
        [smi_us] 1 [mi_us]2
        [sct] 1 [mi_us]2
        [twp] 36 [sct]
        [mil_us] 1e-3 [in_us]
        [in_br] 2.539998 cm
        [ft_br] 12 [in_br]
        [rd_br] 16.5 [ft_br]
        [ch_br] 4 [rd_br]
        [lk_br] 1/100 [ch_br]
        [fth_br] 6 [ft_br]
        [pc_br] 2.5 [ft_br]
        [yd_br] 3 [ft_br]
        [mi_br] 5280 [ft_br]
        [nmi_br] 6080 [ft_br]
        [kn_br] 1 [nmi_br]/h
        [acr_br] 4840 [yd_br]2
        [gal_us] 231 [in_i]3
        [bbl_us] 42 [gal_us]
        [qt_us] 1/4 [gal_us]
        [pt_us] 1/2 [qt_us]
        [gil_us] 1/4 [pt_us]
        [foz_us] 1/4 [gil_us]
        [fdr_us] 1/8 [foz_us]
        [min_us] 1/60 [fdr_us]
        [crd_us] 128 [ft_i]3
        [bu_us] 2150.42 [in_i]3
        [gal_wi] 1/8 [bu_us]
        [pk_us] 1/4 [bu_us]
        [dqt_us] 1/8 [pk_us]
        [dpt_us] 1/2 [dqt_us]
        [tbs_us] 1/2 [foz_us]
        [tsp_us] 1/3 [tbs_us]
        [cup_us] 16 [tbs_us]
        [foz_m] 30 mL
        [cup_m] 240 mL
        [tsp_m] 5 mL
        [tbs_m] 15 mL
        [gal_br] 4.54609 l
        [pk_br] 2 [gal_br]
        [bu_br] 4 [pk_br]
        [qt_br] 1/4 [gal_br]
        [pt_br] 1/2 [qt_br]
        [gil_br] 1/4 [pt_br]
        [foz_br] 1/5 [gil_br]
        [fdr_br] 1/8 [foz_br]
        [min_br] 1/60 [fdr_br]
        [gr] 64.79891 mg
        [lb_av] 7000 [gr]
        [oz_av] 1/16 [lb_av]
        [dr_av] 1/16 [oz_av]
        [scwt_av] 100 [lb_av]
        [lcwt_av] 112 [lb_av]
        [ston_av] 20 [scwt_av]
        [lton_av] 20 [lcwt_av]
        [stone_av] 14 [lb_av]
        [lbf_av] 1 [lb_av].[g]
        [pwt_tr] 24 [gr]
        [oz_tr] 20 [pwt_tr]
        [lb_tr] 12 [oz_tr]
        [sc_ap] 20 [gr]
        [dr_ap] 3 [sc_ap]
        [oz_ap] 8 [dr_ap]
        [lb_ap] 12 [oz_ap]
        [oz_m] 28 g
        [lne] 1/12 [in_i]
        [pnt] 1/6 [lne]
        [pca] 12 [pnt]
        [pnt_pr] 0.013837 [in_i]
        [pca_pr] 12 [pnt_pr]
        [pied] 32.48 cm
        [pouce] 1/12 [pied]
        [ligne] 1/12 [pouce]
        [didot] 1/6 [ligne]
        [cicero] 12 [didot]
        [degR] 5/9 K
        cal_[15] * 4.18580 J
        cal_[20] * 4.18190 J
        cal_m * 4.19002 J
        cal_IT * 4.1868 J
        cal_th * 4.184 J
        cal * 1 cal_th
        [Cal] 1 kcal_th
        [Btu_39] 1.05967 kJ
        [Btu_59] 1.05480 kJ
        [Btu_60] 1.05468 kJ
        [Btu_m] 1.05587 kJ
        [Btu_IT] 1.05505585262 kJ
        [Btu_th] 1.054350 kJ
        [Btu] 1 [Btu_th]
        [HP] 550 [ft_i].[lbf_av]/s
        tex * 1 g/km
        [den] 1/9 g/km
        m[H2O] * 9.80665 kPa
        m[Hg] * 133.3220 kPa
        [in_i'H2O] 0.0254 m[H2O]
        [in_i'Hg] 0.0254 m[Hg]
        [PRU] 1 mm[Hg].s/ml
        [wood'U] 1 mm[Hg].min/L
        [diop] 1 /m
        [mesh_i] 1 /[in_i]
        [Ch] 1/3 mm
        [drp] 1/20 ml
        [hnsf'U] 1 1
        [MET] 3.5 mL/min/kg
        eq * 1 mol
        osm * 1 mol
        g% * 1 g/dl
        [S] 1e-13 s
        [HPF] 1 1
        [LPF] 100 1
        kat * 1 mol/s
        U * 1 umol/min
        st * 1 m3
        Ao 0.1 nm
        b 100 fm2
        att 1 kgf/cm2
        mho * 1 S
        [psi] 1 [lbf_av]/[in_i]2
        circ 2 [pi].rad
        sph 4 [pi].sr
        [car_m] 0.2 g
        [car_Au] 1/24 1
        [smoot] 67 [in_i]
        bit * 1 1
        By * 8 bit
        Bd * 1 /s
        """

    /// Units that a procedure defines: they convert to themselves only. “*” marks those that take prefixes.
    static let arbitrary = """
        [iU]* [IU]* [arb'U] [USP'U] [GPL'U] [MPL'U] [APL'U] [beth'U] [anti'Xa'U] [todd'U] [dye'U] [smgy'U] \
        [bdsk'U] [ka'U] [knk'U] [mclg'U] [tb'U] [CCID_50] [TCID_50] [EID_50] [PFU] [FFU] [CFU] [IR] [BAU] \
        [AU] [Amb'a'1'U] [PNU] [Lf] [D'ag'U] [FEU] [ELU] [EU] [acr'U] [hp_X] [hp_C] [hp_M] [hp_Q] [kp_X] \
        [kp_C] [kp_M] [kp_Q] [m/s2/Hz^(1/2)]*
        """

    /// Units on a scale of their own: the code, the value and unit of the ratio behind it, the scale, whether
    /// it takes prefixes.
    static let scales: [(code: String, value: String, unit: String, scale: UnitScale, isMetric: Bool)] = [
        ("Cel", "1", "K", .offset(numerator: 27315, denominator: 100), true),
        ("[degF]", "1", "[degR]", .offset(numerator: 45967, denominator: 100), false),
        // A degree Réaumur is 5/4 kelvin; its zero is 273.15 K.
        ("[degRe]", "1.25", "K", .offset(numerator: 21852, denominator: 100), false),
        ("[pH]", "1", "mol/l", .logarithm(base: 10, multiplier: -1, prefix: .one), false),
        ("Np", "1", "1", .logarithm(base: 0, multiplier: 1, prefix: .one), true),
        ("B", "1", "1", .logarithm(base: 10, multiplier: 1, prefix: .one), true),
        ("B[SPL]", "2e-5", "Pa", .logarithm(base: 10, multiplier: 2, prefix: .one), true),
        ("B[V]", "1", "V", .logarithm(base: 10, multiplier: 2, prefix: .one), true),
        ("B[mV]", "1", "mV", .logarithm(base: 10, multiplier: 2, prefix: .one), true),
        ("B[uV]", "1", "uV", .logarithm(base: 10, multiplier: 2, prefix: .one), true),
        ("B[10.nV]", "10", "nV", .logarithm(base: 10, multiplier: 2, prefix: .one), true),
        ("B[W]", "1", "W", .logarithm(base: 10, multiplier: 1, prefix: .one), true),
        ("B[kW]", "1", "kW", .logarithm(base: 10, multiplier: 1, prefix: .one), true),
        ("bit_s", "1", "1", .logarithm(base: 2, multiplier: 1, prefix: .one), false),
        ("[p'diop]", "1", "rad", .tangent, false),
        ("%[slope]", "1", "rad", .tangent, false),
    ]
}

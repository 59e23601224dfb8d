import Indivo

/// One document of each top-level model.
enum Examples {
    /// Documents in lists in documents in a list.
    static var night: SleepNight {
        let snoring = Noise()
        snoring.loudness = ValueAndUnit("42", "dB")
        snoring.source = "snoring"

        let deep = SleepPhase()
        deep.kind = "deep"
        deep.duration = ValueAndUnit("95", "min")
        deep.noises = [snoring]
        let rem = SleepPhase()
        rem.kind = "rem"
        rem.duration = ValueAndUnit("20", "min")

        let night = SleepNight()
        night.started = "2026-11-20T22:41:00Z"
        night.ended = "2026-11-21T06:58:00Z"
        night.score = 82
        night.phases = [deep, rem]
        return night
    }

    /// A model that refers to itself.
    static var family: Relative {
        func relative(_ given: String, _ relationship: String, born: XMLDate) -> Relative {
            let relative = Relative()
            relative.name = PersonName(given: given, family: "Adams")
            relative.relationship = relationship
            relative.born = born
            return relative
        }
        let asthma = FamilyCondition()
        asthma.name = CodedValue(title: "Asthma", system: .snomed, identifier: "195967001")
        asthma.ageAtOnset = ValueAndUnit("9", "a")

        let aunt = relative("Ruth", "aunt", born: "1958-04-02")
        aunt.mother = relative("Hazel", "grandmother", born: "1931-10-17")
        aunt.children = [
            relative("Joan", "cousin", born: "1983-01-30"),
            relative("Paul", "cousin", born: "1986-07-08"),
        ]
        aunt.children[1].conditions = [asthma]
        return aunt
    }

    /// A field of every type.
    static var checkup: Checkup {
        get throws {
            let checkup = Checkup()
            checkup.at = "2026-11-21T09:30:00.5Z"
            checkup.remarks = "Shoes & jacket on; a < b"
            checkup.fitness = 0.75
            checkup.reason = CodedValue(
                title: "Periodic examination",
                system: .snomed,
                identifier: "310861008"
            )
            checkup.grip = ValueAndUnit("38", "kg")
            checkup.targetPulse = ValueRange(
                from: ValueAndUnit("95", "/min"),
                to: ValueAndUnit("162", "/min")
            )
            checkup.cholesterol = QuantitativeResult(
                ValueAndUnit("4.9", "mmol/L"),
                normalRange: ValueRange(from: nil, to: ValueAndUnit("5.2", "mmol/L"))
            )
            var address = Address()
            address.street = "Main Street 1"
            address.city = "Springfield"
            address.postalCode = "01101"
            checkup.place = address
            checkup.clinic = Organization(name: "Springfield Clinic", address: address)
            checkup.pharmacy = Pharmacy(organization: "Corner Pharmacy", ncpdpID: "5235235", address: address)
            checkup.patient = PersonName(given: "Daniel", family: "Adams")
            checkup.phone = Telephone("555-0134", kind: .home, isPreferred: true)
            var doctor = Provider()
            doctor.name = PersonName(given: "Joshua", family: "Mandel")
            doctor.email = "jmandel@example.org"
            doctor.birthday = "1970-02-03"
            doctor.telephone1 = Telephone("555-0199", kind: .work)
            checkup.doctor = doctor
            checkup.weight = VitalSign(
                70.8,
                "kg",
                name: CodedValue(title: "Body weight", system: .loinc, identifier: "3141-9")
            )
            checkup.pressure = BloodPressure(
                systolic: VitalSign(132, "mm[Hg]"),
                diastolic: VitalSign(82, "mm[Hg]")
            )
            return checkup
        }
    }
}

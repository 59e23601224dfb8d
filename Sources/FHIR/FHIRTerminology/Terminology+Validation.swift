import FHIR

extension Terminology {
    /// Whether a code is in a value set. A code that only groups others is not.
    ///
    /// - Parameters:
    ///   - system: The code system; nil for a code without one, which may be of any system that the value set
    ///     has.
    ///   - valueSet: The canonical URL, which may have a version behind `|`.
    public func validate(_ code: String, system: String? = nil, in valueSet: String) -> CodeValidation {
        var check = MembershipCheck(self, system: system, code: code)
        return CodeValidation(check.outcome(in: valueSet), valueSet)
    }

    /// Whether a code is in a value set that is given: one that is contained in another resource, for
    /// example.
    public func validate(
        _ code: String,
        system: String? = nil,
        in valueSet: ValueSetDefinition
    ) -> CodeValidation {
        var check = MembershipCheck(self, system: system, code: code)
        return CodeValidation(check.outcome(in: valueSet), valueSet.url)
    }

    /// Whether a code system has a code. One that only groups others is a code, too.
    public func validate(_ code: String, of system: String) -> CodeValidation {
        do throws(TerminologyError) {
            let content = try codeSystem(system)
            if let concept = content?.concept(code) { return .valid(display: concept.display) }
            let absent = TerminologyError.unknownCode(system: system)
            if content?.isComplete == true { return .invalid(reason: absent.description) }
            switch CodeGrammar(rawValue: system)?.outcome(of: code) {
            case .isCode: return .valid(display: nil)
            case .isNone: return .invalid(reason: absent.description)
            case .isPossible, nil: throw .unknownCodeSystem(system)
            }
        } catch {
            return .notChecked(reason: error.description)
        }
    }

    /// Whether a code is in a value set, for ``/FHIRPathEngine/FHIRPathContext/memberOf``; nil where nobody
    /// can say.
    ///
    /// ```swift
    /// var context = FHIRPathContext()
    /// context.memberOf = Terminology.r4.isMember
    /// try FHIRPath("gender.memberOf('http://hl7.org/fhir/ValueSet/administrative-gender')").evaluate(on:
    /// json, in: context)
    /// ```
    /// The URL of a code system stands for all its codes.
    @Sendable
    public func isMember(of valueSet: String, system: String?, code: String) -> Bool? {
        var validation = validate(code, system: system, in: valueSet)
        if case .notChecked = validation, (try? self.valueSet(valueSet)) == nil {
            if let system, system != valueSet, (try? codeSystem(valueSet)) != nil { return false }
            validation = validate(code, of: valueSet)
        }
        switch validation {
        case .valid: return true
        case .invalid: return false
        case .notChecked: return nil
        }
    }
}

extension CodeValidation {
    init(_ outcome: MembershipCheck.Outcome, _ valueSet: String) {
        self =
            switch outcome {
            case .member(let member): .valid(display: member.display)
            case .no:
                .invalid(reason: "it is not in the value set\(valueSet.isEmpty ? "" : " " + valueSet)")
            case .unknown(let error): .notChecked(reason: error.description)
            }
    }
}

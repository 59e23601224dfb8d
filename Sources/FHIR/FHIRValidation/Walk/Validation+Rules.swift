import FHIR
import FHIRPathEngine
import FHIRTables
import OrderedJSON

extension Validation {
    /// Applies rules to an object.
    ///
    /// - Parameter elements: Those that the object has: most rules are decided by that.
    mutating func apply(
        _ rules: [ValidationRule],
        to json: ParsedNode,
        of type: TypePlan,
        having elements: TypePlan.Elements
    ) {
        for rule in rules {
            if isStopped { return }
            if rule.isBestPractice && !options.includesBestPractice
                || usesStructure && rule.proof.holds(for: elements)
            {
                continue
            }
            switch usesStructure ? rule.structure.knowledge(of: elements) : .unknown {
            case .isTrue: continue
            case .isFalse, .empty: broken(rule, at: json)
            case .some, .unknown:
                if usesStructure, rule.shortcut?.isProven(for: json, in: scope.bundle) == true { continue }
                evaluate(
                    rule,
                    on: FHIRPathItem(json.value, of: type.definition),
                    at: json
                )
            }
        }
    }

    /// Applies rules to the value of a primitive.
    mutating func apply(_ rules: [ValidationRule], toPrimitive value: ParsedNode, typeNamed name: String) {
        for rule in rules where !isStopped {
            evaluate(rule, on: FHIRPathItem(value.value, type: name), at: value)
        }
    }

    private mutating func evaluate(_ rule: ValidationRule, on item: FHIRPathItem, at json: ParsedNode) {
        externalDependencyCount += 1
        context.limits.steps = max(1, remainingSteps)
        var steps = 0
        let items: [FHIRPathItem]
        do {
            items = try rule.path.evaluate(on: item, in: context, counting: &steps)
        } catch {
            guard spend(steps, at: json) else { return }
            // Mostly a value that is not of its type, which is an issue of its own.
            return report(
                .warning,
                .incomplete,
                "the rule \(rule.key) cannot be evaluated: \(error.kind)",
                rule: rule.key,
                at: json
            )
        }
        guard spend(steps, at: json) else { return }
        // What is empty is not true; what is not a boolean is.
        if items.count != 1 || items[0].boolean == false { broken(rule, at: json) }
    }

    private mutating func broken(_ rule: ValidationRule, at json: ParsedNode) {
        report(
            rule.severity,
            .invariant,
            rule.text,
            rule: rule.key,
            at: json
        )
    }

    // MARK: Rules of the walk

    /// What holds for some types besides their elements and rules.
    mutating func special(_ json: ParsedNode, _ type: TypePlan, _ elements: TypePlan.Elements) {
        switch type.special {
        case .none: break
        case .extension: `extension`(json)
        case .reference: reference(json)
        case .coding: coding(json)
        case .bundleEntry: bundleEntry(json)
        case .attachment: attachment(json)
        }
    }

    /// The size that an attachment states is that of its data.
    private mutating func attachment(_ json: ParsedNode) {
        guard let size = json.member("size"), let stated = size.value.integer, let data = json.member("data"),
            let found = data.withUTF8(TextScan.decodedCount), found != stated
        else { return }
        report(.error, .invalid, "the size is stated as \(stated), and the data have another", at: size)
    }

    /// `ext-1`: a value or extensions, and not both. The URL of an extension is absolute, unless it is inside
    /// another.
    private mutating func `extension`(_ json: ParsedNode) {
        let hasExtensions = json.member("extension") != nil
        var hasValue = false
        for member in json.members where !hasValue {
            hasValue =
                member.nameValue.withUTF8 { $0.begins(with: "value") || $0.begins(with: "_value") }
                ?? false
        }
        if hasExtensions == hasValue {
            report(
                .error,
                .invariant,
                "an extension has either a value or extensions" + (hasValue ? ", not both" : ""),
                rule: "ext-1",
                at: json
            )
        }
        guard let url = json.member("url"), url.kind == .string else { return }
        let isAbsolute = url.withUTF8(TextScan.hasScheme) ?? false
        if !isAbsolute, !path.isInExtension {
            report(.error, .value, ValidationIssue.relativeExtension, child: "url", at: url)
        } else if url.withUTF8({ $0.contains(UInt8(ascii: "|")) }) == true {
            report(.error, .value, "the URL of an extension has no version", child: "url", at: url)
        }
        if isAbsolute, let text = url.string { definedExtension(json, url: text) }
    }

    /// The system of a coding is an absolute URI, and no value set (FHIR R4, “Coding”).
    private mutating func coding(_ json: ParsedNode) {
        guard let system = json.member("system"), system.kind == .string else { return }
        let text: String? =
            system.withUTF8 { system in
                if !TextScan.hasScheme(system) { return ValidationIssue.relativeSystem }
                return system.begins(with: "http://hl7.org/fhir/ValueSet/")
                    ? "the system of a coding is a code system, not a value set" : nil
            } ?? nil
        if let text { return report(.error, .value, text, child: "system", at: system) }
        if let code = json.member("code") { known(code, of: system) }
    }

    /// A code of a code system that is among the definitions, and complete, is one of its codes.
    private mutating func known(_ code: ParsedNode, of system: ParsedNode) {
        guard let url = system.string, let text = code.string, let codes = options.definitions.codeSystem(url)
        else {
            return
        }
        if codes.isSupplement {
            report(
                .error,
                .invalid,
                "the system is a supplement, which has no codes of its own",
                child: "system",
                at: system
            )
        } else if let all = codes.all, !all.contains(text) {
            report(
                .error,
                .codeInvalid,
                "the code system\(LogicalURL.shown(url)) has no such code",
                child: "code",
                at: code
            )
        }
    }

    /// Of a concept that is bound to a value set one coding must be in it.
    mutating func requiredConcept(_ json: ParsedNode, _ valueSet: DefinedValueSet) {
        let codings = json.member("coding")?.list ?? []
        for coding in codings {
            if let system = coding.member("system")?.string, let code = coding.member("code")?.string,
                valueSet.contains(system: system, code: code)
            {
                return
            }
        }
        report(
            .error,
            .codeInvalid,
            "no coding is in the value set \(valueSet.name), which is required",
            at: json
        )
    }
}

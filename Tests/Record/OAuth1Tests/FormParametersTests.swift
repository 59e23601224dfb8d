import IndivoBase
import OAuth1
import Testing

@Suite("Form parameters")
struct FormParametersTests {
    @Test("a form is written with escapes and read with plus signs too")
    func writeAndRead() {
        let form: FormParameters = ["status": "archived", "reason": "taken by mistake + twice"]
        #expect(form.encoded == "status=archived&reason=taken%20by%20mistake%20%2B%20twice")
        #expect(FormParameters(decoding: "a=x+y&b=%2B")["a"] == "x y")
        #expect(FormParameters(decoding: "a=x+y&b=%2B")["b"] == "+")
    }

    @Test("what is encoded decodes to itself, order and repeated names included")
    func roundTrip() {
        var generator = SeededGenerator(seed: 1866)
        for _ in 0..<500 {
            var form = FormParameters()
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                // A piece with neither name nor value cannot be told from none at all.
                form.append(name: "n" + .random(using: &generator), value: .random(using: &generator))
            }
            #expect(FormParameters(decoding: form.encoded) == form)
        }
    }

    @Test("blank values stay, empty pieces vanish, a second = belongs to the value")
    func edges() {
        let form = FormParameters(decoding: "&a&b=&&c=d=e&a=2&")
        #expect(form.map(\.name) == ["a", "b", "c", "a"])
        #expect(form.values(of: "a") == ["", "2"])
        #expect(form["c"] == "d=e")
        #expect(form["absent"] == nil)
        #expect(FormParameters(decoding: "").isEmpty)
    }

    @Test("a stray % stands for itself")
    func strayPercent() {
        #expect(FormParameters(decoding: "rate=100%&x=%zz")["rate"] == "100%")
        #expect(FormParameters(decoding: "rate=100%&x=%zz")["x"] == "%zz")
    }
}

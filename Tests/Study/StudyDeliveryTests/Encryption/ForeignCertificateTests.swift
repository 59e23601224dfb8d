import Foundation
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Certificates made by openssl 3.0: `root` signed `middle` and `notca`, `middle` the others but `under`,
/// which `notca` signed although it must not.
@Suite("Certificates of openssl")
struct ForeignCertificateTests {
    private static func certificate(_ pem: String) throws -> StudyCertificate {
        try StudyCertificate(Data(pem.utf8))
    }

    @Test("a chain leads through an intermediate to a root that is trusted, and to no other")
    func chain() async throws {
        let (root, middle, study) = try (
            Self.certificate(Self.root), Self.certificate(Self.middle), Self.certificate(Self.study)
        )
        #expect(study.problems().isEmpty)
        try await study.verify(through: [middle], trusting: [root])
        try await study.verify(
            through: [TestKeys.second.certificate, root, middle],
            trusting: [TestKeys.first.certificate, root]
        )
        await #expect(throws: StudyError.self) { try await study.verify(through: [], trusting: [root]) }
        await #expect(throws: StudyError.self) {
            try await study.verify(through: [middle], trusting: [TestKeys.first.certificate])
        }
        await #expect(throws: StudyError.self) {
            try await study.verify(through: [middle, root], trusting: [])
        }
    }

    @Test("a file with a chain is its first certificate, and has all of them")
    func chainFile() throws {
        let file = Data((Self.study + Self.middle + Self.root).utf8)
        #expect(
            try StudyCertificate(file) == Self.certificate(Self.study)
                && StudyCertificate.all(in: file).count == 3
        )
        let encrypted = try CMSEncryption(for: [StudyCertificate(file)]).message(Data("x".utf8))
        #expect(try CMSMessage(.data(encrypted)).recipients.first?.description.contains("CN=middle") == true)
    }

    @Test("what is signed by a certificate that is no authority is refused")
    func noAuthority() async throws {
        let (root, notca, under) = try (
            Self.certificate(Self.root), Self.certificate(Self.notca), Self.certificate(Self.under)
        )
        try await notca.verify(through: [], trusting: [root])
        await #expect(throws: StudyError.self) { try await under.verify(through: [notca], trusting: [root]) }
    }

    @Test("a chain is not valid when a certificate of it is not, now or then")
    func chainExpiry() async throws {
        let (root, middle, expired) = try (
            Self.certificate(Self.root), Self.certificate(Self.middle),
            Self.certificate(Self.expired)
        )
        await #expect(throws: StudyError.self) {
            try await expired.verify(through: [middle], trusting: [root])
        }
        let study = try Self.certificate(Self.study)
        let early = StudyTime(seconds: root.notBefore.seconds - 86_400)
        await #expect(throws: StudyError.self) {
            try await study.verify(through: [middle], trusting: [root], at: early)
        }
    }

    @Test("a wrong key use and an expired certificate are refused with the reason")
    func problems() throws {
        for (pem, reason) in [
            (Self.signer, "its key usage does not include key encipherment"),
            (Self.expired, "it expired at 2016-01-01T00:00:00Z"),
            (Self.root, "its key usage does not include key encipherment"),
        ] {
            let certificate = try Self.certificate(pem)
            let error = #expect(throws: StudyError.self) { try CMSEncryption(for: [certificate]) }
            #expect("\(try #require(error))".contains(reason), "\(String(describing: error))")
            #expect(throws: StudyError.self) {
                try C3ProEnvelope(
                    sealing: Data(#"{"resourceType":"Patient"}"#.utf8),
                    for: certificate,
                    keyID: nil
                )
            }
        }
        // Leave to use an expired one is no leave for the other problems.
        #expect(throws: Never.self) {
            try CMSEncryption(for: [Self.certificate(Self.expired)], allowsExpired: true)
        }
        #expect(throws: StudyError.self) {
            try CMSEncryption(for: [Self.certificate(Self.signer)], allowsExpired: true)
        }
    }

    @Test("a certificate whose key is too small is not read, and named")
    func small() throws {
        let error = #expect(throws: StudyError.self) { try Self.certificate(Self.small) }
        let text = "\(try #require(error))"
        #expect(text.contains("CN=small") && text.contains("its key has fewer than 2048 bits"), "\(text)")
    }

    private static let root = """
        -----BEGIN CERTIFICATE-----
        MIIDEzCCAfugAwIBAgIBATANBgkqhkiG9w0BAQsFADAqMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ0wCwYDVQQDDARyb290MCAXDTI2MTEyMjE3MDY1M1oYDzIx
        MjYxMDI5MTcwNjUzWjAqMRkwFwYDVQQKDBBFeGFtcGxlIEhvc3BpdGFsMQ0wCwYD
        VQQDDARyb290MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAw4shIfY2
        xht+2hb0OC3jrgKfhFbBlhXyehct17/7Dk3DSOUgJeQ4kqS9xdGAwOo65PmBsfFV
        /dkj7de0LqgsB0VWqCI6qjUedcHFfFLwrxUr8nXx7oDLKc8ty9IyedGrTUAkdHcR
        JLfNGAypS0jqVeALUr3yqrP/0NpqWViN9nNfryfmBXlmeVxB2CjAh0Gpa1fa+dhZ
        oV2/3aFUuqKjA/ITGrZkek64kyWPCj08bT/PE8w9mHtJoLJwFhdFJCHfiMR0xDqh
        Y7kTg3aziaaaVkZefTJWslU+6b0iypdF6w/JhEOlm2tZwmmaaNad5CXH4OX0ZYn3
        4mWPZ5losZAHwwIDAQABo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQE
        AwIBBjAdBgNVHQ4EFgQU04zD75vP9VaWAGXhLcHKxIV5OIcwDQYJKoZIhvcNAQEL
        BQADggEBAGn2HiifyJgvUCzgKSG6xuURYvypwVbUPiwLRTpC5YU1Qa5JYMAh77OG
        w3xvrFUY7zv3jJWmGPFagQbffkEY3q7tjMvv5XgAtcLl32/yPC+PHH4cVuB/vAbG
        qfSeuxgQTfKLx70qSrkFpBc3BJtuPdvEiHgSYaZw5kRf2JADwvHv6IRd08sxA5JH
        jhUTRccA/vsbRzPVEBnpRCC+BfQuY+GvZYtUgTrleueNNOTaL56Mbt41NbzbLd+X
        IFscfxL/vV/EjPpQ4w7rYs4BU26BK9eZNivUjuWaq0Phu9IGf+8+YxYvY20b2VJt
        f5a3uHvtz30kKAGkELuQA+dE++ucrTE=
        -----END CERTIFICATE-----

        """
    private static let middle = """
        -----BEGIN CERTIFICATE-----
        MIIDNjCCAh6gAwIBAgIBAjANBgkqhkiG9w0BAQsFADAqMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ0wCwYDVQQDDARyb290MCAXDTI2MTEyMjE3MDY1M1oYDzIx
        MjYxMDI5MTcwNjUzWjAsMRkwFwYDVQQKDBBFeGFtcGxlIEhvc3BpdGFsMQ8wDQYD
        VQQDDAZtaWRkbGUwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCTKmdA
        kt2MghLL91BeWeWDC8S9v7mxDq+42XubKAcVBwYe1s/S++k3P6wL7a8b29UbRmA7
        o10o4IQyy9vB0EzhbRONA2+3d21jrEJ6D2AxWRNGt+M34BR9Ksc+MFnxJ/uNT7xO
        u0cIbhJdwDb4V8EyV502/wlMmo4wd8lUapqiuahTg+7yYhTk8L6c7hgTzg+UwouA
        Zn/OdOEWc+VGDqf2HlRVZKfNW+KWGvSLUustYgV57aOTvFU5rNwCmeAyCS3IKK58
        OoJa0C0IalPe3WGVhJlxD6oNKLaRjCyoMl0ph3bob1udlke4MbUQgOJlahNzy/W1
        lmMmoOZGmroAR1e9AgMBAAGjYzBhMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/
        BAQDAgEGMB0GA1UdDgQWBBSDOofJVLLqnWEb1yPFqyMzGhT9djAfBgNVHSMEGDAW
        gBTTjMPvm8/1VpYAZeEtwcrEhXk4hzANBgkqhkiG9w0BAQsFAAOCAQEAgREPctrO
        4fDAGoGEBRZMk5hAvJQ6LfkJZ2qt68wLRQ0OSrc5p+uemQMfif92U61KcZAbotuM
        mRHRNbXikucsw0J0zokW2RrjtGIfkbMwqO8s0jI6m6DBCkRpHDQ3jl08Z2GfK3c+
        lUimK2pF6pll08oLhHGYFCnzjMhoOMGOVKsU8da3FGnKBE9R0BKKlkwdpXKC+mVp
        2S3zM24Xm3FjSIJs8xl5Ja2DFfMwKbs+VDKX9LuPhRDNfDR+zOh/G55Tb0lO+Z1F
        GUSRbxRPQHhncCGVzDr5iyq5riIyB556TyvZMgApjiOJjCCAS0YaN9tv4HAJB8lN
        VMxmfoHDs87CVw==
        -----END CERTIFICATE-----

        """
    private static let study = """
        -----BEGIN CERTIFICATE-----
        MIIDNDCCAhygAwIBAgIBAzANBgkqhkiG9w0BAQsFADAsMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ8wDQYDVQQDDAZtaWRkbGUwIBcNMjYxMTIyMTcwNjU0WhgP
        MjEyNjEwMjkxNzA2NTRaMCsxGTAXBgNVBAoMEEV4YW1wbGUgSG9zcGl0YWwxDjAM
        BgNVBAMMBXN0dWR5MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArekj
        VB9aC1tW8Rud0gWOzU6mWEYgVWDdGx0VXwmEVuIpcswpcb/CV0HxEwEojxZxYafj
        vfB0pHVKHqmfCkfhdDN+ZcnYzQCIk+MC8VEwwjt4lj9M7xglvyHTZikclgK0AVzg
        A7Bv2GuhBvdxFCeVd3pMVaWB5ncZgBFtbLTIaB8qhcS5x8yVOCT8x1azKOsi0rCi
        wXr85YWVvlrLOlrgRJGOlaAMk/69xVrvX4HVVt7yVhSPkOED/mz+V+zBZbQR90ZR
        kVbFFPLvx0G1tjvV9ZxuBA3mYOV53xc0MoXj3n/wQZqw/qpkTgC+xpB05ltuVKlB
        ePnylv9cAv0gC/wGxwIDAQABo2AwXjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQE
        AwIFIDAdBgNVHQ4EFgQU/mCvZ2MuQbsa/C0+lE3/zrfU3MswHwYDVR0jBBgwFoAU
        gzqHyVSy6p1hG9cjxasjMxoU/XYwDQYJKoZIhvcNAQELBQADggEBAAyZOZGOulBL
        dfaouFTO8sCVdox5Xw/s70vidplxCSjL0AQIK/xt8Ug0UH1LNFqLnB5IDtuol/C0
        JZMwPlbO5ejjQzG/u44sD36LPpfO7G3GkiJzkT+wElm38QLiFydolF4nkW2LLNwY
        o2WF+z+F19VjGSmM1Q9wAAo27NVLPRDlurb5BX78e/Sxgzk/cT1yy7Kae0b1HmjM
        VimNO09NQEfZtJJdyQMWNy7FilcBcNac8qJ4w2vpABS8te1wEtDSE2KM6FbKUtG+
        ihVfhxHfzIBYUiJTDZYWp7r73KG4mIDffl0Luhv/yox5iddGkKFa1blJZQC0sMT9
        IXpjlWHROmY=
        -----END CERTIFICATE-----

        """
    private static let signer = """
        -----BEGIN CERTIFICATE-----
        MIIDNTCCAh2gAwIBAgIBBDANBgkqhkiG9w0BAQsFADAsMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ8wDQYDVQQDDAZtaWRkbGUwIBcNMjYxMTIyMTcwNjU0WhgP
        MjEyNjEwMjkxNzA2NTRaMCwxGTAXBgNVBAoMEEV4YW1wbGUgSG9zcGl0YWwxDzAN
        BgNVBAMMBnNpZ25lcjCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBALC5
        +v3ho1RY48AtWm7/6cxkfxRYz6WkYPdjVJUBLfy+uTus07U528PU76z7/TkMNpsq
        uSXM+7fIeNlXEO/HrwMlNJd3POu1jDryEVCiilfsYIggWsxKdlaiXADDCOGRoieK
        Eykdg/9DBJYz2zoqUxMlPBbAbEe8tYkPd3ZbBQn6mfjIopxBo/qGznhZ8QFI+zmg
        HcvGT5FHLNsS0ggvML38fgnSNxyrfvQvHAI8Jr3sgQISOY/59QC8tkDNgnDTt4E3
        uCQP5Ru8KUXHd9HC5CLz/VGf0rxv3pKiXJi6J2Nq1fp8oyvQkY+GEv7x1yRDTfci
        VeDUaB82o9wPgz8eBj8CAwEAAaNgMF4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8E
        BAMCB4AwHQYDVR0OBBYEFOCwmFNvmN+/AmYuduH1cz+HzjGzMB8GA1UdIwQYMBaA
        FIM6h8lUsuqdYRvXI8WrIzMaFP12MA0GCSqGSIb3DQEBCwUAA4IBAQBOVsLXLrj9
        xEVDAy3zIsXLEu3UtZC3ofpPGOsknDOAaOSea8T3IBLDP/iCQtNF3uaPRn0scGAt
        sHsytw/qXszRHpWWhG6oZOAjMIs5ajEaqmHGxJboSIGjADU693mc7SB3NX/Om0Gn
        +0D6yJaLPztTIvXVG5LLfrG4zi5mrIlITB7ep2zvszfpvdFPNAWCner4GSAVcSkp
        DuPJQmFICRCXDrnVtUAfgRuZxZ4LiBS+k8jb+e844BI2i0zsyQfck6YXf7tAPcjY
        x/M0vGFjKInDZFteiNu27OO6IDlEn6vyVXXdibwUZbpPHUvTMdhGReWbSMbfwCeK
        Il8k7UMFbG+B
        -----END CERTIFICATE-----

        """
    private static let small = """
        -----BEGIN CERTIFICATE-----
        MIICsDCCAZigAwIBAgIBAzANBgkqhkiG9w0BAQsFADAsMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ8wDQYDVQQDDAZtaWRkbGUwIBcNMjYxMTIyMTcwNjU0WhgP
        MjEyNjEwMjkxNzA2NTRaMCsxGTAXBgNVBAoMEEV4YW1wbGUgSG9zcGl0YWwxDjAM
        BgNVBAMMBXNtYWxsMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDTs0UegHTc
        IR/hZeToKVgBYj9S4PL2OWTBV2tNA2wuEKoTminkuVY6I/jGeFZo0uMB4BOiWjN5
        dpuWI1lKWnr62DSd5ZX91pXy5iXwLBV03cNX52rjNbxbrHbFmU+mLh5ntjbHtns5
        +R85ycDzHJRXDBKgzVP7Ov+vbcp77xKxpQIDAQABo2AwXjAMBgNVHRMBAf8EAjAA
        MA4GA1UdDwEB/wQEAwIFIDAdBgNVHQ4EFgQU2d1rhbHdptbmFd8R3Evl13HC1VQw
        HwYDVR0jBBgwFoAUgzqHyVSy6p1hG9cjxasjMxoU/XYwDQYJKoZIhvcNAQELBQAD
        ggEBABr0dl0vX+9jTzk5Ip2SbYimvLiipeh8YMWQLth/nh7lJ4DePMFB6lrq7JPJ
        b63fkvyn5YS0lgcTTLlQRyYW8UaBlaqDe3LgOF70otF0rC0vjsCd+DTfwnblVXz2
        OrLopAQa/kC4KUK2hbsaQ/03YOOlEMBJ6voof7UxD4TArBnr8jA19tU5zXmrPjhB
        ef+OKF6LqHO65/r8f1uvZpnPwYUBld7kPaglHT1nteR8j1AAk9x40688TxTNqt+d
        QidzGfL0dPp6ZlH+vSXX9n9lOKLGiOFq5ULJhSp1whl+74gMEWYKpYNVj7xt4mSq
        g5Fb3RZO4czUBS/nPpJ/W9CI6O0=
        -----END CERTIFICATE-----

        """
    private static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIDNDCCAhygAwIBAgIBBzANBgkqhkiG9w0BAQsFADAsMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ8wDQYDVQQDDAZtaWRkbGUwHhcNMTUwMTAxMDAwMDAwWhcN
        MTYwMTAxMDAwMDAwWjAtMRkwFwYDVQQKDBBFeGFtcGxlIEhvc3BpdGFsMRAwDgYD
        VQQDDAdleHBpcmVkMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoBuJ
        4TBGZEtDXAWoEleoaGjG63wXx8paM9ijLJOT10Dmr+L60lhKd2JblldX3tv/DIxE
        6fet/xuX6S1mflAOGl6besKVYzaPkXIw6RzzGSLa/ggkNJZYVcbo2HKViPKCaYy9
        wCTULbl6HH9+V8vFOdISoz0waPvRt15ekbMYa+EytGozTvIgYQGiGGKgQmE6cyu1
        Z9tHw3vlpiMEVP/hSKydjBJIZQfBI68tjgdhWriiW/Jqb69La4htvo0hneUC+J2c
        WSJW8qahfF4yoC/z/0lt8PgvTvYEChJCBkZTHgduQMoXgVzOpbVlO1bEaPVv5S4O
        51bMY6fGrFXxWc4iiwIDAQABo2AwXjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQE
        AwIFIDAdBgNVHQ4EFgQUFMUhYUhpw2zdZXCfH8fEB/+49YkwHwYDVR0jBBgwFoAU
        gzqHyVSy6p1hG9cjxasjMxoU/XYwDQYJKoZIhvcNAQELBQADggEBAEINDLM0ZjnK
        mWuzI2zcPV6qSi+8cTXwRvHHw0XmaIVzgl9aasuS1J98c71K2OdfOISG7sfZjITh
        nVS+3dtePwLZcmfgmlLE1nLAx1A8ETNROu/N0djNI1yLkvVBj43ImZ4YsXNFWHgz
        MriJ5hkrsRR47j2xx79hg8caYwMatHKZb/fVwlZsTGPWgFFVk+c2u9OjdKNhTATp
        MO4TVYHL8q2+OLrsbmMmkv0lfcWaLPrapjWfuZb1mR1Yv59mS6Z0fws+qM3hzhVN
        gdjZ49tCdmdGdb/098p8kYIVLRXzN7wVz2TvZLNp8+gWkZJy6oDd2LDOMT7mA1+Z
        58SmBk+5EDA=
        -----END CERTIFICATE-----

        """
    private static let notca = """
        -----BEGIN CERTIFICATE-----
        MIIDMjCCAhqgAwIBAgIBBTANBgkqhkiG9w0BAQsFADAqMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ0wCwYDVQQDDARyb290MCAXDTI2MTEyMjE3MDY1NFoYDzIx
        MjYxMDI5MTcwNjU0WjArMRkwFwYDVQQKDBBFeGFtcGxlIEhvc3BpdGFsMQ4wDAYD
        VQQDDAVub3RjYTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMSBNdRQ
        ZJmTuFMghNl2KURPCtsmJt8bNUnmk7PsDY0JXa/9ktjkoNWNXL1fUEG4rdnvlJAq
        TYSVCpFRAP8pnRSA2rU6X9InusgloFAtjHURlMf2bC8v7XZuAZ3NoZhRDQ4vVbBN
        fborg/HILbJQbXV8OH59qpbkdkJairu0XMyKufDM353FS3/aPFa/CK4CbayV8IAH
        UhYXX9RYgVqjzRDN5y0OqScPm09PfK+KjXv6s5UY1U3Vk16lym5zQxTDzhzjq3xd
        qOluw1DmPdw+EaUSPIhvpVWeIRh2U9Ir2XcVu3odAPvAZ75/t+XyT8rwzsfoYiJz
        mhNV53RrLJ91O6sCAwEAAaNgMF4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMC
        BSAwHQYDVR0OBBYEFPt4kEyPK8yygEFfCb8F7jGth7pbMB8GA1UdIwQYMBaAFNOM
        w++bz/VWlgBl4S3BysSFeTiHMA0GCSqGSIb3DQEBCwUAA4IBAQBYYkYHmupCG/wl
        J+G1W0fsmMTm608QwDaOKkL29NymukcfE7uNx3hIPG4CtnesKOhoe4sKmmksflGz
        P12ntBwGbrj6mAFOlZX0qezMEOXJJ+ylraGM3yoqpSpPYJJPJ8XKM0dTxUvv21gL
        ZItFq84hyK3JCITcVje7ycOiKYgB6yMcD+ZmgjXnpH8SgelonZZp4yjER4z/LX9e
        HKLYjLqBkaMo937DLezThrp9rjwb/sdluc9wGcJM1b7/X80Ebtp8mAY/iUtZp+DC
        HAuRxwB/oQTIllt6JtxrKeh75tv61xL83bGHIPJBMNMT5haoNhGnzoTLimIY+9hr
        VAnZp9pU
        -----END CERTIFICATE-----

        """
    private static let under = """
        -----BEGIN CERTIFICATE-----
        MIIDMzCCAhugAwIBAgIBBjANBgkqhkiG9w0BAQsFADArMRkwFwYDVQQKDBBFeGFt
        cGxlIEhvc3BpdGFsMQ4wDAYDVQQDDAVub3RjYTAgFw0yNjExMjIxNzA2NTRaGA8y
        MTI2MTAyOTE3MDY1NFowKzEZMBcGA1UECgwQRXhhbXBsZSBIb3NwaXRhbDEOMAwG
        A1UEAwwFdW5kZXIwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQC2mk5v
        H36bO8R7VfNPP4jMUEzvr97iEQtl+aT3dwIfGB9QN64heH6TTqNoA5TQMAtEB3fm
        FbuStYptA1ekKDFTkgJ0ZgkH5REnDDlExdMvcrkrT5lOtUyWmWnOo8rkLQ8d/hH/
        F4hZLI6DzrcHqFnloI1PBDCNlaKiqpDnWjudNPgPefrLOxdBCS3SJYdsuXRPJqd9
        2JTqotFjH9+reAlVx3cxfDFfUUlw6HZHsRea8MiCH4WeP/R5DjhnR6Z7Yc6UwRzF
        iSB0ZLG/hPYBAqS1cU7IaYG90pjXKcKENqtsK3nl9PG3cv9x9nZjHmSvRelbcXtG
        40mrlxwx/8hfwsaPAgMBAAGjYDBeMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQD
        AgUgMB0GA1UdDgQWBBSgC6nLzHHnZ1kouyk6LDX59AkmGDAfBgNVHSMEGDAWgBT7
        eJBMjyvMsoBBXwm/Be4xrYe6WzANBgkqhkiG9w0BAQsFAAOCAQEAKlOQP88MpB3Y
        g+r983SySkuja0MXTQC9IB3NZUnbcsXNigxE6+MmIW+gSEUaKVAahrMR5ed53IlH
        q9RW5nFfmXt73IPid5us9zT5dGgnAaKpSCKctNT5G/s9/rQOMaXiuz16nnHvRL6j
        bCvR1vEk0xHNWU5cB0r+SOqo2Pj7F1+xYORJrVpTIbmeM8MSqVR8d0mP2LMZp0Kq
        7LpnOZuJZkiIXlRc/BR9FBHrmnQDa5iZ1Wt0ZuEStrA6coxKPSvrSvmhIM32bmzu
        TJK+PPLIyzqPQf7RAQ+m10Id3lZC+Hk/DD4+1XmrITTjOkoVE7ki5qYJZoLCgS16
        FNdhBGti0A==
        -----END CERTIFICATE-----

        """
}

// Tests decide by a seed what goes wrong.
@_exported import struct IndivoBase.SeededGenerator

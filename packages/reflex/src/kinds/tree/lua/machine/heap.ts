import { TextDecoder, TextEncoder } from 'node:util'
import type { Engine, Pointer } from './wasm.ts'

const encoder = new TextEncoder()
/** Refuses bytes that are not UTF-8. */
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Texts of up to so many bytes are copied through the stack. */
const SHORT = 1024

/** Texts of up to so many bytes are copied one by one if they are ASCII, which is faster than a call of a decoder. */
const FEW = 48
const ASCII_END = 128

/** The memory of an instance as bytes, numbers and texts. */
export class Heap {
  readonly #engine: Engine
  #bytes: Uint8Array
  #view: DataView
  readonly #constants: Map<string, Pointer>

  /** `constants`: those of an image that is loaded into this instance. */
  constructor(engine: Engine, constants: Map<string, Pointer> = new Map()) {
    this.#engine = engine
    this.#constants = constants
    this.#bytes = new Uint8Array(engine.memory.buffer)
    this.#view = new DataView(engine.memory.buffer)
  }

  /** All of the memory. The array is no longer valid when the memory has grown. */
  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.#engine.memory.buffer) this.#refresh()
    return this.#bytes
  }

  int(place: Pointer): number {
    if (this.#view.buffer !== this.#engine.memory.buffer) this.#refresh()
    return this.#view.getInt32(place, true)
  }

  setInt(place: Pointer, value: number): void {
    if (this.#view.buffer !== this.#engine.memory.buffer) this.#refresh()
    this.#view.setInt32(place, value, true)
  }

  /** Returns a text that ends with a zero byte, cut to a number of bytes. */
  cText(pointer: Pointer, most: number): string {
    const part = this.bytes.subarray(pointer, pointer + most + 1)
    const end = part.indexOf(0)
    return end < 0 ? `${decoder.decode(part.subarray(0, most))}…` : decoder.decode(part.subarray(0, end))
  }

  /** Returns a text. Throws a TypeError for bytes that are not UTF-8. */
  text(pointer: Pointer, length: number): string {
    const { bytes } = this
    if (length <= FEW) {
      let text = ''
      let i = 0
      for (let byte = 0; i < length && (byte = bytes[pointer + i] ?? ASCII_END) < ASCII_END; i++) text += String.fromCharCode(byte)
      if (i === length) return text
    }
    return strictDecoder.decode(bytes.subarray(pointer, pointer + length))
  }

  /** Returns a text for messages: bytes that are not UTF-8 become U+FFFD. */
  lenientText(pointer: Pointer, length: number): string {
    return decoder.decode(this.bytes.subarray(pointer, pointer + length))
  }

  get constants(): Map<string, Pointer> {
    return this.#constants
  }

  /** Returns the place of a text that is part of the image. */
  constant(text: string): Pointer {
    const place = this.#constants.get(text)
    if (place === undefined) throw new TypeError(`the image has no text ${text}`)
    return place
  }

  /** Keeps a text in memory, with a zero byte at its end, while the image is built. */
  keep(text: string): Pointer {
    const bytes = encoder.encode(`${text}\0`)
    const place = this.#engine.malloc(bytes.length)
    this.bytes.set(bytes, place)
    this.#constants.set(text, place)
    return place
  }

  /** Calls back with a text in memory, which is gone afterwards. It ends with a zero byte that the length does not count. */
  withText<T>(text: string, use: (pointer: Pointer, length: number) => T): T {
    const engine = this.#engine
    const top = engine.stackSave()
    const few = text.length <= FEW ? this.#pushAscii(text) : 0
    if (few !== 0) {
      const result = use(few, text.length)
      engine.stackRestore(top)
      return result
    }
    const encoded = encoder.encode(text)
    const isShort = encoded.length < SHORT
    const place = isShort ? engine.stackAlloc(encoded.length + 1) : engine.malloc(encoded.length + 1)
    if (place === 0) throw new RangeError('no memory for a text')
    this.bytes.set(encoded, place)
    this.bytes[place + encoded.length] = 0
    try {
      return use(place, encoded.length)
    } finally {
      if (!isShort) engine.free(place)
      engine.stackRestore(top)
    }
  }

  /** Copies a text of ASCII to the stack of C; returns 0 if it has other characters. */
  #pushAscii(text: string): Pointer {
    const place = this.#engine.stackAlloc(text.length + 1)
    const { bytes } = this
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code >= ASCII_END) return 0
      bytes[place + i] = code
    }
    bytes[place + text.length] = 0
    return place
  }

  #refresh(): void {
    this.#bytes = new Uint8Array(this.#engine.memory.buffer)
    this.#view = new DataView(this.#engine.memory.buffer)
  }
}

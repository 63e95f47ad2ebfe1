import type { Host } from '../kernel/index.ts'
import { countCells } from '../text/index.ts'
import type { Look } from './look.ts'
import type { Sink } from './world.ts'

/** Ten times a second at most (experience 1.4). */
const FRAME = 100

/**
 * A terminal with finished lines above, which are never written again, and a block below that lives: running nodes,
 * or a question.
 */
export class Screen {
  readonly #sink: Sink
  readonly #look: Look
  readonly #host: Host
  #draw: (() => readonly string[]) | undefined
  #shown: readonly string[] = []
  #stop: (() => void) | undefined

  constructor(sink: Sink, look: Look, host: Host) {
    this.#sink = sink
    this.#look = look
    this.#host = host
  }

  /** Writes finished lines above the block. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return
    const block = this.#shown
    this.#write(`${this.#erasure()}${text(lines)}${text(block)}`)
    this.#shown = block
  }

  /** Lets a block live from the next frame on, until it is replaced or dropped. */
  showBlock(draw: () => readonly string[]): void {
    this.#draw = draw
    this.#stop ??= this.#host.at(this.#host.now() + FRAME, () => this.#tick())
  }

  /** Draws the block now. */
  refresh(): void {
    if (this.#draw === undefined) return
    const lines = this.#draw()
    if (lines.length === this.#shown.length && lines.every((line, i) => line === this.#shown[i])) return
    this.#write(`${this.#erasure()}${text(lines)}`)
    this.#shown = lines
  }

  /** Takes the block away. */
  removeBlock(): void {
    this.#draw = undefined
    this.#stop?.()
    this.#stop = undefined
    if (this.#shown.length === 0) return
    this.#write(this.#erasure())
    this.#shown = []
  }

  #tick(): void {
    this.#stop = undefined
    if (this.#draw === undefined) return
    this.refresh()
    this.showBlock(this.#draw)
  }

  /** Up over what was drawn and everything below taken away. A terminal that was made narrower has wrapped its lines. */
  #erasure(): string {
    const rows = this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(countCells(withoutEscapes(line)) / this.#look.columns)), 0)
    return rows === 0 ? '' : `\u001b[${rows}A\r\u001b[J`
  }

  #write(out: string): void {
    if (out !== '') this.#sink.write(out)
  }
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function withoutEscapes(line: string): string {
  return line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
}

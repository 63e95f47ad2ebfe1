import type { Host } from '../kernel/index.ts'
import { countCells } from '../text/index.ts'
import type { Look } from './look.ts'
import type { Sink } from './world.ts'

/** The milliseconds between two frames: at most ten frames a second (experience 1.4). */
const FRAME = 100

/**
 * A terminal with finished lines, which are never written again, and below them a block that is redrawn: running nodes,
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

  /** Redraws a block from the next frame on, until it is replaced or removed. */
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

  /** Removes the block. */
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

  /**
   * Returns the codes that move above the block and erase it. If the terminal became narrower, it has wrapped the
   * lines.
   */
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

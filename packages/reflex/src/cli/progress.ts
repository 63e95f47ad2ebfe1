import type { StoryLine } from '../history/trace.ts'
import type { PictureLine } from '../programs/kind-view.ts'
import type { Console } from './console.ts'
import { fittingRows } from './picture-rows.ts'
import { type ProgressFacts, footer, runningRows } from './running-rows.ts'
import { Follower, isRetry } from './follower.ts'
import { layoutRow, layoutText } from './layout.ts'
import { plainText } from './plain-event.ts'
import { Screen } from './screen.ts'
import { treeRow } from './tree-row.ts'
import { localTime, utcSeconds } from './units.ts'

/** The display of a run while it works. */
export interface Progress {
  /** Begins the display with the facts known about the run. */
  begin(about: ProgressFacts): void
  line(line: StoryLine): void
  /** The terminal, for questions; undefined if nobody can be asked. */
  readonly screen: Screen | undefined
  /** Shows the running nodes, or hides them while a question is asked. */
  watch(on: boolean): void
  close(): void
}

export function progressFor(console: Console): Progress {
  if (console.quiet || console.shape !== 'text') return quiet(console)
  return console.isLive ? new TreeProgress(console) : new PlainProgress(console)
}

/** Returns a display that shows nothing; a question can still be asked. */
function quiet(console: Console): Progress {
  const screen = console.isLive ? screenOf(console) : undefined
  return { screen, begin: () => undefined, line: () => undefined, watch: () => undefined, close: () => screen?.removeBlock() }
}

function screenOf({ world, err }: Console): Screen {
  return new Screen(world.err, err, world.surroundings.host)
}

/** The milliseconds before the footer appears. */
const FOOTER_DELAY = 1000

/** The tree on a terminal. */
class TreeProgress implements Progress {
  readonly screen: Screen
  readonly #console: Console
  readonly #follower = new Follower()
  #about: ProgressFacts | undefined

  constructor(console: Console) {
    this.#console = console
    this.screen = screenOf(console)
  }

  begin(about: ProgressFacts): void {
    this.#about = about
  }

  line(line: StoryLine): void {
    const { err, flags } = this.#console
    const context = this.#follower.follow(line)
    const row = treeRow(line, context, { limit: valueRoom(err.columns), verbose: flags.verbose === true })
    if (row !== undefined) this.screen.print(layoutRow(row, err))
  }

  watch(on: boolean): void {
    if (on) this.screen.showBlock(() => this.#running())
    else this.screen.removeBlock()
  }

  #running(): string[] {
    const { err, now } = this.#console
    const follower = this.#follower
    const picture = this.#about?.picture?.(now)
    if (picture !== undefined) return workingRows(picture, this.#about, follower, this.#console)
    const running = [...follower.running.values()]
    if (running.length === 0) return []
    const rows = runningRows(follower, this.#about, now).flatMap((row) => layoutRow(row, err))
    const longest = Math.max(...running.map(({ since }) => now - since))
    return longest < FOOTER_DELAY ? rows : [...rows, ...footer(follower, this.#about, now, err)]
  }

  close(): void {
    this.screen.removeBlock()
  }
}

/** Returns the nodes at work of a program that is at several at once. */
function workingRows(
  picture: readonly PictureLine[],
  about: ProgressFacts | undefined,
  follower: Follower,
  { err, now }: Console,
): string[] {
  const working = picture.filter(({ mark }) => mark === 'running' || mark === 'waits')
  if (working.length === 0) return []
  const rows = fittingRows(working, err, err.rows - 3)
  const longest = Math.max(0, ...working.map(({ ms = 0 }) => ms))
  return longest < FOOTER_DELAY ? rows : [...rows, ...footer(follower, about, now, err)]
}

/** Returns the number of characters for a value beside the other parts of a line. */
export function valueRoom(columns: number): number {
  return Math.max(16, Math.min(48, Math.floor(columns / 2) - 8))
}

/** Prints a line for each event, beginning with its time. */
class PlainProgress implements Progress {
  readonly screen = undefined
  readonly #console: Console
  readonly #follower = new Follower()

  constructor(console: Console) {
    this.#console = console
  }

  begin(): void {
    // The header contains these facts.
  }

  line(line: StoryLine): void {
    const context = this.#follower.follow(line)
    const plainEvent = isRetry(line)
      ? undefined
      : plainText(line.event, context, { answered: this.#follower.answerTo(line), verbose: this.#console.flags.verbose === true })
    if (plainEvent === undefined) return
    const [verb, text] = plainEvent
    plainLine(this.#console, line.at, verb, [line.place, text].filter((part) => part !== '').join(': '))
  }

  watch(): void {
    // There is no block to update.
  }

  close(): void {
    // There is no block to remove.
  }
}

/** Prints a line of a log. In a pipe or a file the time is UTC, and no line is wrapped. */
export function plainLine(console: Console, at: number, verb: string, text: string): void {
  const { err, now } = console
  if (!err.terminal) return console.report([`${utcSeconds(at)}  ${err.text(verb.padEnd(9))} ${err.text(text)}`.trimEnd()])
  const lead = `${localTime(at, now)}  ${err.text(verb.padEnd(9))}`
  console.report(layoutText({ lead: lead.trimEnd(), painted: lead.trimEnd(), text, column: lead.length + 1 }, err))
}

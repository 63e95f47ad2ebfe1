import type { StoryEvent } from '../kernel/index.ts'
import type { StoryLine } from '../trace.ts'
import type { Console } from './console.ts'
import { layoutRow } from './layout.ts'
import { Screen } from './screen.ts'
import { spentFacts } from './spent.ts'
import {
  alsoOpen,
  answerText,
  decisionText,
  deed,
  failureText,
  Follower,
  isRetry,
  programName,
  returnedText,
  type Told,
  tookFact,
} from './telling.ts'
import { treeRow } from './tree-row.ts'
import { duration, localTime, utcSeconds } from './units.ts'

/** How a run is shown while it goes on. */
export interface Progress {
  line(line: StoryLine): void
  /** The terminal, for questions; absent where nobody can be asked. */
  readonly screen: Screen | undefined
  /** Shows what runs; off while a question is asked. */
  watch(on: boolean): void
  close(): void
}

export function progressFor(console: Console): Progress {
  if (console.quiet || console.shape !== 'text') return quiet(console)
  return console.live ? new TreeProgress(console) : new PlainProgress(console)
}

/** Nothing is said; a question may still be asked. */
function quiet(console: Console): Progress {
  const screen = console.live ? screenOf(console) : undefined
  return { screen, line: () => undefined, watch: () => undefined, close: () => screen?.drop() }
}

function screenOf({ world, err }: Console): Screen {
  return new Screen(world.err, err, world.surroundings.host)
}

/** Shorter deeds leave no running line. */
const SHOWN_AFTER = 1000

/** The tree on a terminal. */
class TreeProgress implements Progress {
  readonly screen: Screen
  readonly #console: Console
  readonly #follower = new Follower()

  constructor(console: Console) {
    this.#console = console
    this.screen = screenOf(console)
  }

  line(line: StoryLine): void {
    const { err, flags } = this.#console
    const told = this.#follower.follow(line)
    const row = treeRow(line, told, { limit: valueRoom(err.columns), verbose: flags.verbose === true })
    if (row !== undefined) this.screen.print(layoutRow(row, err))
  }

  watch(on: boolean): void {
    if (on) this.screen.live(() => this.#running())
    else this.screen.drop()
  }

  #running(): string[] {
    const { err, now } = this.#console
    const running = [...this.#follower.running.values()]
    if (running.length === 0) return []
    const lines = running.flatMap(({ node, depth, since }) =>
      layoutRow({ depth, node, mark: 'running', facts: [duration(now - since)] }, err),
    )
    const longest = Math.max(...running.map(({ since }) => now - since))
    return longest < SHOWN_AFTER ? lines : [...lines, err.paint('dim', err.text('ctrl-c leaves it resumable'))]
  }

  close(): void {
    this.screen.drop()
  }
}

/** Characters of a value beside everything else on a line. */
export function valueRoom(columns: number): number {
  return Math.max(16, Math.min(48, Math.floor(columns / 2) - 8))
}

/** One line for each event, its time first. */
class PlainProgress implements Progress {
  readonly screen = undefined
  readonly #console: Console
  readonly #follower = new Follower()

  constructor(console: Console) {
    this.#console = console
  }

  line(line: StoryLine): void {
    const told = this.#follower.follow(line)
    const said = isRetry(line) ? undefined : PLAIN[line.event.mark]?.(line.event, told, this.#follower.answerTo(line))
    if (said === undefined) return
    const [verb, text] = said
    const node = [...line.path.split('/').slice(0, line.depth), line.event.node ?? ''].join('/')
    plainLine(this.#console, line.at, verb, text === '' ? node : `${node}: ${text}`)
  }

  watch(): void {
    // Nothing lives here.
  }

  close(): void {
    // Nothing to take away.
  }
}

type Said = readonly [verb: string, text: string] | undefined

/** Characters of a value in a line that nobody looks at live. */
const VALUE = 60

/** What each event says without a terminal; those that are not here say nothing. */
const PLAIN: Readonly<Partial<Record<StoryEvent['mark'], (event: StoryEvent, told: Told, answered: Told['answered']) => Said>>> = {
  done: (event, { returned, took }) =>
    returned && (event.text ?? '') === '' ? undefined : ['done', [deed(event, VALUE), ...tookFact(took), ...spentFacts(event)].join('  ')],
  decide: (event) => [
    'decided',
    [decisionText(event), ...spentFacts(event), ...(alsoOpen(event).length === 0 ? [] : [`also open: ${alsoOpen(event).join(', ')}`])].join(
      '  ',
    ),
  ],
  push: ({ text = '' }) => ['into', programName(text)],
  pop: (event) => ['out', returnedText(event, VALUE)],
  fail: (event) => ['failed', failureText(event)],
  ask: ({ text = '' }) => ['asked', text],
  answer: ({ text = '' }, _, answered) => ['answered', answered === undefined ? text : answerText(answered)],
  wait: ({ text = '' }) => ['waits', text],
  warn: ({ text = '' }) => ['warns', text],
  note: ({ text = '' }) => ['note', text],
}

/** A line of the story where nobody watches: in a pipe or file the time is UTC. */
export function plainLine(console: Console, at: number, verb: string, text: string): void {
  const { err, now } = console
  const time = err.terminal ? localTime(at, now) : utcSeconds(at)
  console.tell([`${time}  ${err.text(verb.padEnd(9))} ${err.text(text)}`.trimEnd()])
}

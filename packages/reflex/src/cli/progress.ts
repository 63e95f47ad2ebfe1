import type { StoryLine } from '../trace.ts'
import type { Console } from './console.ts'
import { layoutRow } from './layout.ts'
import { Screen } from './screen.ts'
import { answerText, choiceOf, deed, Follower, isRetry, objectOf, programName, returnedText, who } from './telling.ts'
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
    const { event } = line
    if (isRetry(line)) return
    const node = [...line.path.split('/').slice(0, line.depth), event.node ?? ''].join('/')
    const said = (verb: string, text: string): void => plainLine(this.#console, line.at, verb, text === '' ? node : `${node}: ${text}`)
    const took = told.took === undefined || told.took < 1 ? '' : `  ${duration(told.took)}`
    switch (event.mark) {
      case 'done':
        if (!told.returned || (event.text ?? '') !== '') said('done', `${deed(event, 60)}${took}`)
        break
      case 'decide':
        said('decided', decision(line))
        break
      case 'push':
        said('into', programName(event.text ?? ''))
        break
      case 'pop':
        said('out', returnedText(event, 60))
        break
      case 'fail':
        said('failed', `${String(objectOf(event.facts?.fault).code ?? '')} ${event.text ?? ''}`.trim())
        break
      case 'ask':
        said('asked', event.text ?? '')
        break
      case 'answer': {
        const answered = this.#follower.answerTo(line)
        said('answered', answered === undefined ? (event.text ?? '') : answerText(answered))
        break
      }
      case 'wait':
      case 'warn':
      case 'note':
        said(event.mark, event.text ?? '')
        break
      case 'enter':
      case 'end':
        break
    }
  }

  watch(): void {
    // Nothing lives here.
  }

  close(): void {
    // Nothing to take away.
  }
}

function decision({ event }: StoryLine): string {
  const { edge, open } = choiceOf(event)
  const { by } = who(event)
  const others = open.filter((name) => name !== edge)
  return `${by === undefined ? '' : `${by} → `}${edge}${(event.text ?? '') === '' ? '' : `, because ${event.text}`}${others.length === 0 ? '' : `  also open: ${others.join(', ')}`}`
}

/** A line of the story where nobody watches: in a pipe or file the time is UTC. */
export function plainLine(console: Console, at: number, verb: string, text: string): void {
  const { err, now } = console
  const time = err.terminal ? localTime(at, now) : utcSeconds(at)
  console.tell([`${time}  ${err.text(verb.padEnd(9))} ${err.text(text)}`.trimEnd()])
}

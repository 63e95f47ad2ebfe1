import { readPriority } from '../app/cluster/names.ts'
import { Option } from 'commander'
import type { BuiltInKinds, RunOptions } from '../app/options.ts'
import type { RunOptionsByKind } from '../app/options-by-kind.ts'
import { isRunName } from '../history/run-name.ts'
import { copyJson, isObject, type JsonObject } from '../kernel/index.ts'
import { type AgentChoice, readTrust } from '../policy/index.ts'
import type { LiveRuns } from '../programs/live-runs.ts'
import type { OptionCommand, RunOption } from '../programs/run-options.ts'
import { faults } from '../runs/faults.ts'
import { quote } from '../text/index.ts'
import { readBudget } from './budget.ts'
import { readData, type ReadFile, readInputs } from './grammar.ts'
import { RUN_FLAGS } from './kind-flags.ts'
import type { RunFlags } from './options.ts'
import type { Session } from './session.ts'

/** A kind whose runs take events. */
export interface LiveKind {
  readonly kind: string
  readonly live: LiveRuns
}

/** Returns the options of a run that the flags of a command stand for. `live`: the run stays for events. */
export async function startOptions(
  { read, readDecisionFile }: Session,
  flags: RunFlags & { readonly events?: string },
  live?: LiveKind,
): Promise<RunOptions> {
  if (flags.id !== undefined) checkId(flags.id)
  const { input, texts } = await readInputs(flags.input ?? [], read)
  const agent = await readAgents(flags.agent ?? [], readDecisionFile)
  const own = kindOptions({ ...flags })
  return {
    input,
    texts,
    ...(flags.id === undefined ? {} : { id: flags.id }),
    ...(flags.kind === undefined ? {} : { kind: flags.kind }),
    ...(flags.trust === undefined ? {} : { trust: readTrust(flags.trust, '--trust') }),
    ...(agent === undefined ? {} : { agent }),
    ...(flags.agentId === undefined ? {} : { agentId: flags.agentId }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.recorded === undefined ? {} : { recorded: flags.recorded }),
    ...(flags.tools === undefined ? {} : { tools: flags.tools }),
    ...(flags.budget === undefined ? {} : { limits: readBudget(flags.budget) }),
    ...(flags.simulate === true ? { simulate: true } : {}),
    ...(flags.queue === undefined ? {} : { queue: flags.queue }),
    ...(flags.tenant === undefined ? {} : { tenant: flags.tenant }),
    ...(flags.priority === undefined ? {} : { priority: readPriority(flags.priority) }),
    ...(flags.needs === undefined ? {} : { needs: flags.needs }),
    ...own,
    ...(live === undefined
      ? {}
      : {
          [live.kind]: { ...(Reflect.get(own, live.kind) as object | undefined), ...live.live.options, ...readsItself(live, flags.events) },
        }),
  }
}

/** Returns the option for a file of events that the run reads itself. */
export function readsItself({ live }: LiveKind, events: string | undefined): { readonly [option: string]: string } | undefined {
  return live.reads === undefined || events === undefined || events === '-' ? undefined : { [live.reads]: events }
}

/**
 * Checks a run id: it is part of commands, of addresses such as `otter/q1` and `otter@21`, and of a folder's name.
 * Throws `R2031`.
 */
function checkId(id: string): void {
  if (isRunName(id)) return
  throw faults.make('R2031', `--id ${quote(id)} cannot name a run`, {
    fix: 'write up to 64 letters, digits, - and _, such as --id otter-2',
  })
}

/** Reads `--agent NAME`, `NODE=NAME`, or a file of decisions. */
export async function readAgents(given: readonly string[], read: ReadFile): Promise<AgentChoice | undefined> {
  if (given.length === 0) return undefined
  const perNode: [node: string, name: string][] = []
  let choice: AgentChoice = {}
  for (const word of given) {
    const equals = word.indexOf('=')
    if (equals === 0 || equals === word.length - 1)
      throw faults.make('R2031', `--agent ${word} has no node or no name`, {
        fix: 'write --agent NAME, --agent NODE=NAME, or --agent FILE',
      })
    if (equals > 0) perNode.push([word.slice(0, equals), word.slice(equals + 1)])
    else if (word.endsWith('.json') || word.includes('/'))
      choice = { ...choice, default: choice.default ?? 'script', script: await readScript(word, read) }
    else choice = { ...choice, default: word }
  }
  return perNode.length === 0 ? choice : { ...choice, perNode: Object.fromEntries(perNode) }
}

async function readScript(name: string, read: ReadFile): Promise<JsonObject> {
  const value = readData(await read(name), name, 'write {"node": decision}')
  if (isObject(value)) return copyJson(value, name) as JsonObject
  throw faults.make('R2032', `${name} is not an object of nodes and decisions`, { file: name })
}

/** The options of `run`, or of another command, that flags stand for, by kind. Throws `R2031` for a word that a flag does not take. */
export function kindOptions(flags: Readonly<Record<string, unknown>>, command?: OptionCommand): RunOptionsByKind<BuiltInKinds> {
  const kinds = Object.entries(RUN_FLAGS).flatMap(([kind, table]) => {
    const given = Object.entries(table).flatMap(([name, option]) => {
      if (command !== undefined && option.alsoOf?.includes(command) !== true) return []
      const value = flags[new Option(option.flag).attributeName()]
      const isGiven = option.type === 'off' ? value === false : value !== undefined
      return isGiven ? [[name, typeof value === 'string' ? readValue(value, option) : value] as const] : []
    })
    return given.length === 0 ? [] : [[kind, Object.fromEntries(given)] as const]
  })
  return Object.fromEntries(kinds)
}

function readValue(word: string, { flag, type }: RunOption): string | number {
  if (typeof type !== 'string') return readChoice(word, flag, type)
  return type === 'count' ? readCount(word, flag) : word
}

function readCount(word: string, flag: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw faults.make('R2031', `${flag} ${quote(word)} is not a count`, { fix: `write ${flag} 500` })
}

function readChoice(word: string, flag: string, words: readonly string[]): string {
  if (words.includes(word)) return word
  throw faults.make('R2031', `${flag} ${quote(word)} is not known; it is ${words.join(' or ')}`, { fix: `write ${flag} ${words[1] ?? ''}` })
}

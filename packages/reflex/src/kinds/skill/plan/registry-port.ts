import { type Call, isObject, type Json, type JsonObject, type NewEntry, type Port, type Store } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { type Admission, admit, type AdmissionRequest, type RunLife } from '../ledger/admission.ts'
import {
  entryNames,
  type FiguresEntry,
  FORMAT_ENTRY,
  type KeyEntry,
  newerFormat,
  type Owner,
  readFigures,
  readKey,
  readUse,
  skillLedger,
  type UseEntry,
} from '../ledger/entries.ts'
import { settle, type Settlement } from '../ledger/settlement.ts'
import { faults } from './faults.ts'
import { newerRegistry } from './newer-registry.ts'
import type { SkillHost } from './skill-host.ts'

type RegistryWorld = Pick<KindWorld, 'store' | 'host'>

/** Returns what stands for a digest in the registry: where no contents are kept, a hash under a key, because values can be guessed. */
type KeptDigest = (digest: string) => string

/** Two processes that write the same entries try again so often. */
const TRIES = 100

/**
 * The ports `skills.admit` and `skills.settle`: an execution is written to the registry before its first step, and its end before its caller
 * hears of it. Each is one conditional append under the key of the effect, so that a repetition after a crash appends nothing and has the
 * first answer (design skill 2). A simulated run is admitted and leaves no entry. `kept`: what entries have of the
 * digests of keys and arguments.
 */
export function registryPorts(
  world: RegistryWorld,
  host: SkillHost,
  kept: KeptDigest = (digest) => digest,
): Readonly<Record<'skills.admit' | 'skills.settle', Port<RunSettings>>> {
  return {
    'skills.admit': {
      leaves: true,
      repeat: 'keyed',
      perform: (call) => admitCall(call, world, host, kept),
      simulate: (call) => ({ result: { verdict: 'admitted', ...keyOf(objectOf(call.args)) } }),
    },
    'skills.settle': {
      leaves: true,
      repeat: 'keyed',
      perform: (call) => settleCall(call, world, host),
      simulate: () => ({}),
    },
  }
}

async function admitCall(call: Call<RunSettings>, world: RegistryWorld, host: SkillHost, kept: KeptDigest): Promise<Admission> {
  const args = objectOf(call.args)
  const owner: Owner = [call.run, textOf(args['frame'])]
  const keyHash = typeof args['key_hash'] === 'string' ? kept(args['key_hash']) : undefined
  return retried(call, async () => {
    const found = await readEntries(world.store, host, { skill: textOf(args['skill']), version: textOf(args['version']) }, keyHash)
    const now = world.host.now()
    const request: AdmissionRequest = {
      owner,
      ...(keyHash === undefined ? {} : { keyHash }),
      fingerprint: kept(textOf(args['fingerprint'])),
      keyLasts: Number(args['key_lasts']),
      cooldown: Number(args['cooldown']),
      most: Number(args['most']),
      now,
      verifies: args['verifies'] === true,
      ...(args['verified'] === 'done' || args['verified'] === 'not_done' ? { verified: args['verified'] } : {}),
    }
    const life = await livesOf(world.store, [...found.use.running, ...(found.key === undefined ? [] : [found.key.owner])], now)
    const admission = admit(request, { key: found.key, use: found.use, life: (run) => life.get(run) ?? 'ended' })
    const entries = [...found.writeKey(admission.key), ...found.writeUse(admission.use)]
    const isWritten = entries.length === 0 || (await append(world, host, call.key, entries))
    const { key: _, use: __, ...answer } = admission
    return isWritten ? answer : undefined
  })
}

async function settleCall(call: Call<RunSettings>, world: RegistryWorld, host: SkillHost): Promise<JsonObject> {
  const args = objectOf(call.args)
  const skill = textOf(args['skill'])
  const status = args['status']
  const end: Settlement = {
    owner: [call.run, textOf(args['frame'])],
    status: status === 'ok' || status === 'failed' ? status : 'unknown',
    ...(isObject(args['outputs']) ? { outputs: args['outputs'] } : {}),
    isRollbackIncomplete: args['rollback_incomplete'] === true,
    major: Number(args['major']),
    now: world.host.now(),
  }
  const version = textOf(args['version'])
  return retried(call, async () => {
    const keyHash = typeof args['key_hash'] === 'string' ? args['key_hash'] : undefined
    const found = await readEntries(world.store, host, { skill, version }, keyHash)
    const { key, removeKey, use, figures, state } = settle(end, found)
    const entries = [
      ...(removeKey === true ? found.removeKey() : found.writeKey(key)),
      ...found.writeUse(use),
      found.writeFigures(figures),
      ...(state === undefined ? [] : [{ name: entryNames.state(skill, version), value: state as unknown as Json }]),
    ]
    const isWritten = await append(world, host, call.key, entries)
    return isWritten ? { state: state?.state ?? null } : undefined
  })
}

interface FoundEntries {
  readonly key: KeyEntry | undefined
  readonly use: UseEntry
  writeKey(key: KeyEntry | undefined): NewEntry[]
  removeKey(): NewEntry[]
  readonly figures: FiguresEntry
  writeUse(use: UseEntry | undefined): NewEntry[]
  writeFigures(figures: FiguresEntry): NewEntry
}

interface ExecutedSkill {
  readonly skill: string
  readonly version: string
}

/** Reads the entries of a skill and a key; what is written after them is refused if another process was faster. Throws `R1473` for a newer form. */
async function readEntries(
  store: Store,
  host: SkillHost,
  { skill, version }: ExecutedSkill,
  keyHash: string | undefined,
): Promise<FoundEntries> {
  const own = { use: entryNames.use(skill), figures: entryNames.figures(skill, version) }
  const names = { ...own, ...(keyHash === undefined ? {} : { key: entryNames.key(keyHash) }) }
  const { entries } = await store.latest(skillLedger(host.project, host.env), [...Object.values(names), FORMAT_ENTRY])
  const entry = (name: string | undefined) => entries.find((one) => one.name === name)
  const newer = newerFormat(entry(FORMAT_ENTRY)?.value)
  if (newer !== undefined) throw newerRegistry(host.project, newer)
  const condition = (name: string, value: Json): NewEntry => ({ name, value, after: entry(name)?.seq ?? 0 })
  return {
    key: readKey(entry(names.key)?.value),
    use: readUse(entry(names.use)?.value),
    figures: readFigures(entry(names.figures)?.value),
    writeKey: (key) => (key === undefined || names.key === undefined ? [] : [condition(names.key, key as unknown as Json)]),
    removeKey() {
      const seq = entry(names.key)?.seq
      return names.key === undefined || seq === undefined ? [] : [{ name: names.key, after: seq }]
    },
    writeUse: (use) => (use === undefined ? [] : [condition(names.use, use as unknown as Json)]),
    writeFigures: (figures) => condition(names.figures, figures as unknown as Json),
  }
}

async function append(world: RegistryWorld, host: SkillHost, key: string, entries: readonly NewEntry[]): Promise<boolean> {
  return 'numbers' in (await world.store.appendAll(skillLedger(host.project, host.env), key, entries, world.host.now()))
}

/** Returns what is known of the runs that hold claims. One whose process is gone does not go on: nobody repeats what it began. */
async function livesOf(store: Store, owners: readonly Owner[], now: number): Promise<Map<string, RunLife>> {
  const rows = await Promise.all([...new Set(owners.map(([id]) => id))].map(async (id) => [id, (await store.read(id, 0))?.row] as const))
  const isRunning = rows.some(([, row]) => row?.status === 'running')
  // A run that a living process owns is never due.
  const due = new Set(isRunning ? await store.due(now) : [])
  return new Map(
    rows.map(([id, row]) => {
      if (row?.status === 'suspended') return [id, 'goes_on']
      if (row?.status !== 'running') return [id, 'ended']
      return [id, row.owner === null || due.has(id) ? 'interrupted' : 'goes_on']
    }),
  )
}

/** Tries until no other process was faster. Throws `R1473` after many tries. */
async function retried<Answer>({ args }: Call<RunSettings>, attempt: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await attempt()
    if (answer !== undefined) return answer
  }
  throw faults.make(
    'R1473',
    `the registry entry of ${textOf(objectOf(args)['skill'])} was changed ${TRIES} times before it could be written`,
  )
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function keyOf(args: JsonObject): JsonObject {
  return typeof args['key_hash'] === 'string' ? { key_hash: args['key_hash'] } : {}
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

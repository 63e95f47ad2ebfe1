import type { Json, JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import { below, pick, type Random, randomOf } from './random.ts'

/** The source of the value of an argument. */
export type Role =
  | { readonly is: 'constant'; readonly value: string }
  | { readonly is: 'user'; readonly which: number }
  | { readonly is: 'opaque'; readonly pool: readonly string[] }
  | { readonly is: 'step'; readonly step: number }
  /** A user's value inside a longer text. */
  | { readonly is: 'inside'; readonly which: number }
  | { readonly is: 'prose' }
  | { readonly is: 'secret' }

/** One call of a plant: a command line with flags, or named arguments. */
export interface PlantStep {
  readonly tool: string
  /** The words of the command, for a command line. */
  readonly command?: string
  readonly args: readonly (readonly [name: string, role: Role])[]
}

/** Why a decoy must not be mined. */
export type Decoy = 'fails' | 'one_reply' | 'repeats' | 'prose' | 'secret'

/** A sequence of calls that is planted into runs. */
export interface Plant {
  readonly name: string
  readonly steps: readonly PlantStep[]
  readonly decoy?: Decoy
}

const VERBS = ['get', 'list', 'set', 'create', 'update', 'check', 'restart', 'tag', 'push', 'find', 'open', 'send', 'lock', 'scan'] as const
const NOUNS = [
  'app',
  'image',
  'ticket',
  'order',
  'invoice',
  'branch',
  'cluster',
  'queue',
  'report',
  'user',
  'route',
  'bucket',
  'lease',
] as const
const REGIONS = ['eastus', 'westeurope', 'northsea', 'uksouth', 'canada', 'brazil'] as const

/** Returns so many plants of 3 to 7 calls with all roles, and the decoys that must not be found. */
export function plantsOf(seed: number, count = 12): readonly Plant[] {
  const random = randomOf(seed ^ 0x51ed)
  const plants = Array.from(
    { length: count },
    (_, i): Plant => ({ name: `plant${i}`, steps: stepsOf(random, `p${i}`, 3 + below(random, 5)) }),
  )
  const decoys: Plant[] = []
  const add = (decoy: Decoy, times: number, make: (name: string) => readonly PlantStep[]): void => {
    for (let i = 0; i < times; i++) decoys.push({ name: `${decoy}${i}`, decoy, steps: make(`${decoy.slice(0, 2)}${i}`) })
  }
  add('fails', 4, (name) => stepsOf(random, name, 4))
  add('one_reply', 3, (name) => stepsOf(random, name, 3))
  add('repeats', 3, (name) => {
    const [step] = stepsOf(random, name, 1)
    return step === undefined ? [] : [step, step, step]
  })
  add('prose', 2, (name) => withRole(stepsOf(random, name, 3), { is: 'prose' }))
  add('secret', 1, (name) => withRole(stepsOf(random, name, 3), { is: 'secret' }))
  return [...plants, ...decoys]
}

/** The first step takes a value of the user, the later ones any role. */
function stepsOf(random: Random, name: string, length: number): readonly PlantStep[] {
  const region = pick(random, REGIONS)
  return Array.from({ length }, (_, i): PlantStep => {
    const [verb, noun] = [pick(random, VERBS), pick(random, NOUNS)]
    const args: (readonly [string, Role])[] = [['region', { is: 'constant', value: region }]]
    if (i === 0 || random() < 0.5) args.push(['name', { is: 'user', which: 0 }])
    if (random() < 0.3) args.push(['label', { is: 'user', which: 1 }])
    if (i > 0 && random() < 0.6) args.push(['ref', { is: 'step', step: below(random, i) }])
    if (random() < 0.2) args.push(['plan', { is: 'opaque', pool: ['basic', 'shared', 'premium', 'isolated'] }])
    if (random() < 0.3) args.push(['host', { is: 'inside', which: 0 }])
    return random() < 0.5
      ? { tool: 'term.exec', command: `${name} ${noun} ${verb}${i}`, args }
      : { tool: `${name}.${noun}.${verb}${i}`, args }
  })
}

/** Gives the last step one more argument. */
function withRole(steps: readonly PlantStep[], role: Role): readonly PlantStep[] {
  return steps.map((step, i) => (i === steps.length - 1 ? { ...step, args: [...step.args, ['body', role] as const] } : step))
}

/** The values of one occurrence: those of the user, and the ids that its steps returned so far. */
export interface PlantValues {
  readonly user: readonly string[]
  readonly ids: readonly string[]
}

/** Returns the arguments of a step. */
export function argumentsOf({ command, args }: PlantStep, values: PlantValues, random: Random): JsonObject {
  const texts = args.map(([name, role]) => [name, valueOf(role, values, random)] as const)
  if (command === undefined) return Object.fromEntries(texts)
  return { cmd: [command, ...texts.map(([name, text]) => `--${name} ${text}`)].join(' ') }
}

function valueOf(role: Role, { user, ids }: PlantValues, random: Random): string {
  switch (role.is) {
    case 'constant':
      return role.value
    case 'user':
      return user[role.which] ?? ''
    case 'opaque':
      return pick(random, role.pool)
    case 'step':
      return ids[role.step] ?? ''
    case 'inside':
      return `https://${user[role.which] ?? ''}.example.com/health`
    case 'prose':
      return Array.from({ length: 40 }, () => word(random, 6)).join('-')
    default:
      return `Bearer:‹secret ${below(random, 65_536).toString(16).padStart(4, '0')}›`
  }
}

/** Returns a text of letters. */
export function word(random: Random, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += String.fromCharCode(97 + below(random, 26))
  return text
}

/** Returns the result of a step with its id. */
export function resultOf({ command }: PlantStep, id: string, ok: boolean): Json {
  return command === undefined
    ? { data: { id, status: ok ? 'ready' : 'failed' } }
    : { code: ok ? 0 : 1, stdout: '', stderr: '', data: { id } }
}

import { execFileSync } from 'node:child_process'
import { isList, isObject, type Json, type JsonObject } from '../../../../src/kernel/index.ts'
import { decodeSkill } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import { type Attack, type Came, NOTHING, wordsOf } from './attack.ts'
import { manifestOf, MANY, textOf } from './given.ts'
import { shownToModel, VARIABLES } from './readers.ts'

/** Milliseconds after which a reader counts as one that hangs. */
const LATE = 1500

/** Readers as a careless author writes them, by the name of the protection that each lacks. */
export const LOOSE_READERS: Readonly<Record<string, (attack: Attack) => Came>> = {
  /** A key that occurs twice is a mistake. */
  keys_once: (attack) => accepted(JSON.parse(textOf(attack))),
  /** A field that nobody knows is a mistake. */
  known_fields: (attack) => accepted(without(JSON.parse(textOf(attack)) as Json, ['deny_iff'])),
  /** Keys are own keys. */
  own_keys: (attack) => trying(() => void merged({}, JSON.parse(textOf(attack)) as Json)),
  /** Values are so deep. */
  depth: (attack) => trying(() => void without(JSON.parse(textOf(attack)) as Json, [])),
  /** Manifests are so large. */
  size: (attack) => accepted(without(JSON.parse(textOf(attack)) as Json, ['x_note'])),
  /** A command without a shell has no marks of one. */
  shell_marks: (attack) => {
    const { plan } = manifestOf(attack) as unknown as {
      readonly plan: { readonly steps: readonly { readonly args: { readonly cmd: string } }[] }
    }
    const words = plan.steps[0]?.args.cmd.split(' ') ?? []
    return { ...NOTHING, outcome: words.length > 0 ? 'accepted' : 'refused' }
  },
  /** Patterns take linear time. */
  linear_patterns(attack) {
    const { signature } = manifestOf(attack) as unknown as {
      readonly signature: { readonly inputs: readonly [{ readonly pattern: string }] }
    }
    return hanging(`new RegExp(${JSON.stringify(signature.inputs[0].pattern)}).test(${JSON.stringify(attack.value)})`)
  },
  /** Expressions have so many steps. */
  counted_steps(attack) {
    const { preconditions } = manifestOf(attack) as unknown as { readonly preconditions: { readonly invariants: readonly [string] } }
    const code = preconditions.invariants[0].replace(/\.all\((\w+), /g, '.every(($1) => ')
    return hanging(`const ctx = ${JSON.stringify(VARIABLES.ctx)}; ${code}`)
  },
  /** The beginning of a tag is held back until it is known what it is. */
  held_back: ({ pieces = [] }) => ({
    ...NOTHING,
    shown: pieces.map((piece) => piece.replace(/<SKILL_PROPOSE>[^]*?<\/SKILL_PROPOSE>/g, '')).join(''),
  }),
  /** A text of a manifest is harmless before a model reads it, and a bulletin has at most 600 tokens. */
  harmless_text: (attack) => shownToModel(looseBulletin(attack, MANY.slice(0, 1))),
  bulletin_limit: (attack) => shownToModel(looseBulletin(attack, MANY)),
  /** Each line is read by itself. */
  each_line: (attack) => trying(() => void linesOf(attack).map((line) => JSON.parse(line) as Json)),
  /** The ancestors of an entry are not followed. */
  no_ancestors: (attack) => trying(() => void depths(linesOf(attack).map((line) => JSON.parse(line) as JsonObject))),
  /** A result without its call is left out. */
  pairs: (attack) =>
    trying(() => {
      const calls = new Map<string, { result?: Json }>()
      for (const part of partsOf(attack)) {
        if (part['type'] === 'tool_use') calls.set(wordsOf(part['id']), {})
        const call = calls.get(wordsOf(part['tool_use_id'])) as { result?: Json }
        if (part['type'] === 'tool_result') call.result = part['content'] ?? null
      }
    }),
  /** The name of a tool is no name of a property. */
  tool_names: (attack) =>
    trying(() => {
      const shapes: Record<string, Record<string, Json>> = {}
      for (const { name, input } of partsOf(attack)) Object.assign((shapes[wordsOf(name)] ??= {}), input)
    }),
}

function looseBulletin(attack: Attack, ids: readonly string[]): string {
  const cards = ids.map((id) => `- ${id} — ${wordsOf(manifestOf(attack)['description'])}`)
  return `<SKILL_BULLETIN>\n${cards.join('\n')}\n</SKILL_BULLETIN>`
}

function linesOf(attack: Attack): readonly string[] {
  return textOf(attack).trimEnd().split('\n')
}

/** The parts of the messages of a session. */
function partsOf(attack: Attack): readonly JsonObject[] {
  return linesOf(attack).flatMap((line) => {
    const { content } = (JSON.parse(line) as { readonly message: { readonly content: Json } }).message
    return isList(content) ? content.filter((part) => isObject(part)) : []
  })
}

/** The number of ancestors of each entry. */
function depths(entries: readonly JsonObject[]): readonly number[] {
  const byId = new Map(entries.map((entry) => [entry['uuid'], entry]))
  const depth = (entry: JsonObject | undefined): number => (entry === undefined ? 0 : 1 + depth(byId.get(entry['parentUuid'])))
  return entries.map(depth)
}

function accepted(manifest: unknown): Came {
  return { ...NOTHING, outcome: decodeSkill(manifest).skill === undefined ? 'refused' : 'accepted' }
}

/** Runs a careless reader: it may throw, or change what every object inherits. */
function trying(act: () => void): Came {
  try {
    act()
    return { ...NOTHING, outcome: 'polluted' in {} ? 'polluted' : 'accepted' }
  } catch {
    return { ...NOTHING, outcome: 'crashed' }
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
}

/** Runs code in a process of its own, which can be ended. */
function hanging(code: string): Came {
  try {
    execFileSync(process.execPath, ['-e', code], { timeout: LATE, stdio: 'ignore' })
    return { ...NOTHING, outcome: 'accepted' }
  } catch (thrown) {
    return { ...NOTHING, outcome: thrown instanceof Error && 'code' in thrown && thrown.code === 'ETIMEDOUT' ? 'hangs' : 'crashed' }
  }
}

/** Copies a value without some keys, one level after another. */
function without(value: Json, keys: readonly string[]): Json {
  if (isList(value)) return value.map((item) => without(item, keys))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => (keys.includes(key) ? [] : [[key, without(inner, keys)]])))
}

/** Copies a value over defaults, by plain assignment. */
function merged(onto: Record<string, unknown>, value: Json): Record<string, unknown> {
  if (!isObject(value)) return onto
  for (const [key, inner] of Object.entries(value)) {
    if (isObject(inner)) merged((onto[key] ??= {}) as Record<string, unknown>, inner)
    else onto[key] = inner
  }
  return onto
}

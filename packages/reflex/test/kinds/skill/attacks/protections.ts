import { type Call, isObject, type Json, type JsonObject, type Store } from '../../../../src/kernel/index.ts'
import { FORMAT_ENTRY } from '../../../../src/kinds/skill/ledger/entries.ts'
import { writeArgs } from '../../../../src/kinds/skill/plan/args.ts'
import type { SkillProgram } from '../../../../src/kinds/skill/plan/skill-program.ts'
import { readReplyParts } from '../../../../src/kinds/skill/protocol/reply-reader.ts'
import type { RunSettings } from '../../../../src/policy/index.ts'
import { connection } from '../../../wrap/session/world.ts'
import {
  altered,
  deaf,
  filling,
  pastedCommand,
  pastedJson,
  pastedTexts,
  pastedTwice,
  pastedWords,
  stepping,
  unlimited,
} from './loose-plans.ts'
import { ANYWHERE, careless, INNERMOST, looseJson, plainJson, strictJson, UNCLOSED } from './loose-replies.ts'
import { looseFind, type Parts, WHOLE } from './parts.ts'

/** A protection, as it is taken away: the parts that stand in the place of others. */
type Without = (parts: Parts) => Partial<Parts>

const FOREVER = Number.MAX_SAFE_INTEGER

const programs =
  (change: (program: SkillProgram) => SkillProgram): Without =>
  (parts) => ({ program: (program) => change(parts.program(program)) })

/** A gate that does not know one reason to refuse. */
const gate = (reason: string): Without => programs((program) => deaf(program, reason))

/** An admission that does not know one verdict. */
const admission =
  (verdict: string): Without =>
  (parts) => ({
    port(name, given) {
      const port = parts.port(name, given)
      if (name !== 'skills.admit') return port
      return {
        ...port,
        async perform(call) {
          const answer = await port.perform(call)
          const { result } = answer as { readonly result: { readonly verdict: string } }
          return result.verdict === verdict ? { result: { verdict: 'admitted' } } : answer
        },
      }
    },
  })

/** Every protection that an attack on a wrapped agent names, and how a test takes it away. */
const PROTECTIONS: Readonly<Record<string, Without>> = {
  /** Blocks count in what the model has just written, and nowhere else. */
  assistant_only: () => ({
    texts: (heard) => {
      const { reasoning_content: thought } = isObject(heard.reply) ? heard.reply : {}
      const all = [...WHOLE.texts(heard), heard.user, heard.tool, typeof thought === 'string' ? thought : '']
      return all.map((text) => `${text}\n`)
    },
  }),
  /** Blocks count at the start of a line, outside of code, quotes and comments. */
  block_places: () => ({ read: careless(ANYWHERE, strictJson) }),
  /** A block has no block in it. */
  no_nesting: () => ({ read: careless(INNERMOST, strictJson) }),
  /** A block ends with its tag. */
  closing_tag: () => ({ read: careless(UNCLOSED, strictJson) }),
  /** A body is JSON, and no key occurs in it twice. */
  strict_keys: () => ({ read: careless(ANYWHERE, plainJson) }),
  strict_syntax: () => ({ read: careless(ANYWHERE, looseJson) }),
  /** A body has at most 8 KiB and 8 levels. */
  body_limit: () => ({ read: careless(ANYWHERE, plainJson) }),
  /** Of several proposals one is decided. */
  one_proposal: () => ({ read: (texts, enabled) => readReplyParts(texts, { enabled, maxProposals: FOREVER }) }),
  /** Blocks that only Reflex writes are removed. */
  forged_blocks: (parts) => ({ read: (texts, enabled) => ({ ...parts.read(texts, enabled), visible: texts.join('\n') }) }),
  /** What the model writes after a proposal was written without its result. */
  tail_cut: (parts) => ({
    read: (texts, enabled) => ({
      ...parts.read(texts, enabled),
      visible: texts.join('\n').replace(/<SKILL_PROPOSE>[^]*<\/SKILL_PROPOSE>/, ''),
    }),
  }),
  /** Two malformed replies turn the protocol off for the turn. */
  malformed_limit: () => ({ mostMalformed: FOREVER }),
  /** A request has so many rounds that the agent does not see. */
  hidden_rounds: () => ({ rounds: FOREVER }),
  /** A model cannot say what only a person says. */
  own_arguments: () => ({ args: ({ inputs, proposal }) => ({ ...writeArgs({ inputs: {}, proposal }), ...inputs }) }),
  /** A proposal names a skill as it is spelt. */
  exact_names: (parts) => ({ find: async (ref, registry) => (await parts.find(ref, registry)) ?? parts.find('release.tag', registry) }),
  /** A manifest has its hash. */
  manifest_hash: () => ({ find: looseFind }),
  /** The form of the registry is known. */
  registry_format: () => ({
    store: (store) =>
      connection(store, (name, act) => {
        if (name !== 'latest') return undefined
        return async (...given) => {
          const { entries, ...rest } = (await act(...given)) as Awaited<ReturnType<Store['latest']>>
          return { ...rest, entries: entries.filter((entry) => entry.name !== FORMAT_ENTRY) }
        }
      }),
  }),
  gate_compat: gate('compat.'),
  gate_state: gate('state.'),
  gate_slots: gate('slot_invalid'),
  gate_missing: gate('slot_missing'),
  gate_invariants: gate('invariant_'),
  gate_tau: gate('below_tau'),
  gate_roles: gate('policy.role'),
  gate_deny: gate('policy.deny_if'),
  gate_secret: gate('policy.secret'),
  gate_confirmation: gate('policy.confirmation'),
  /** Slots get own values, and no inherited ones. */
  own_slots: () => ({ args: ({ inputs, proposal }) => writeArgs({ inputs: inherited(inputs), proposal }) }),
  cooldown: admission('cooldown'),
  concurrency: admission('concurrency'),
  key_in_progress: admission('idempotence_in_progress'),
  key_unknown: admission('idempotence_unknown'),
  /** The arguments of an execution are compared with those of the earlier one. */
  key_fingerprint: () => ({
    port: (name, port) => (name === 'skills.admit' ? { ...port, perform: (call) => port.perform(withoutFingerprint(call)) } : port),
  }),
  /** A step that may not be repeated is tried once. */
  repeatable_alone: programs((program) => stepping(program, () => ({ isRepeatable: true, retries: 2 }))),
  /** A plan does not begin without the slots of its later steps. */
  needed_slots: programs((program) => stepping(program, () => ({ needs: [] }))),
  budget: programs((program) => stepping(unlimited(program), () => ({ estimatedCost: 0 }))),
  deadline: programs((program) => stepping(unlimited(program), () => ({ timeout: FOREVER / 2 ** 20 }))),
  undos: programs((program) => altered(program, { undos: [] })),
  /** An undo that fails does not keep the others back. */
  all_undos: programs((program) => altered(program, { undos: program.undos.slice(0, 1) })),
  /** Outputs have the types that the skill declares. */
  output_types: programs((program) =>
    altered(program, { outputs: ({ steps }) => ({ ok: true, value: { url: steps['set']?.result ?? null } }) }),
  ),
  /** A value is one argument of a command, whatever is in it. */
  command_words: programs((program) => filling(program, pastedCommand)),
  /** A value is no option of a command. */
  command_options: programs((program) => filling(program, pastedWords)),
  /** Values are encoded in URLs, and stay in their folders. */
  text_checks: programs((program) => filling(program, pastedTexts)),
  /** A value is no template. */
  single_pass: programs((program) => filling(program, pastedTwice)),
  /** A value is a value of JSON, and never its text. */
  json_values: programs((program) => filling(program, pastedJson)),
}

/** A call of the registry that says nothing of the arguments of its execution. */
function withoutFingerprint(call: Call<RunSettings>): Call<RunSettings> {
  const args = { ...(isObject(call.args) ? call.args : {}), fingerprint: '' }
  return new Proxy(call, { get: (target, name) => (name === 'args' ? args : (Reflect.get(target, name, target) as unknown)) })
}

/** Everything in an object, also what it inherits. */
function inherited(inputs: JsonObject): JsonObject {
  const copy: Record<string, Json> = {}
  for (const [name, value] of Object.entries(inputs)) copy[name] = value
  const all: Record<string, Json> = {}
  for (const name in copy) all[name] = copy[name] ?? null
  return all
}

/** The parts without some of the protections. */
export function without(names: readonly string[]): Parts {
  return names.reduce<Parts>((parts, name) => {
    const taken = PROTECTIONS[name]
    if (taken === undefined) throw new TypeError(`there is no protection ${name}`)
    return { ...parts, ...taken(parts) }
  }, WHOLE)
}

import { isObject, type Json, type JsonObject, type Port, type Store } from '../../../../src/kernel/index.ts'
import { entryNames, readManifestEntry, skillLedger } from '../../../../src/kinds/skill/ledger/entries.ts'
import { manifestJson } from '../../../../src/kinds/skill/manifest/canonical.ts'
import { storedSkill } from '../../../../src/kinds/skill/face/stored.ts'
import type { SkillArgs } from '../../../../src/kinds/skill/plan/args.ts'
import { writeArgs } from '../../../../src/kinds/skill/plan/args.ts'
import type { SkillHost } from '../../../../src/kinds/skill/plan/skill-host.ts'
import type { SkillMaker, SkillProgram } from '../../../../src/kinds/skill/plan/skill-program.ts'
import type { ReplyOutcome } from '../../../../src/kinds/skill/model/protocol.ts'
import { MAX_MALFORMED_REPLIES, readReplyParts } from '../../../../src/kinds/skill/protocol/reply-reader.ts'
import { contentText } from '../../../../src/learn/formats/loose-json.ts'
import type { RunSettings } from '../../../../src/policy/index.ts'
import { wordsOf } from './attack.ts'

/** What of a conversation is looked at: the reply of the model, and everything else that stands in it. */
export interface Heard {
  readonly reply: Json
  readonly user: string
  readonly tool: string
}

/** What the parts of an attacked agent find in a reply. */
export type Read = Pick<ReplyOutcome, 'visible' | 'proposals' | 'rejections' | 'malformed'>

/** The registry that an attack meets. */
export interface Registry {
  readonly store: Store
  readonly host: SkillHost
  readonly maker: SkillMaker
}

/** The parts of an agent with a skill, each as Reflex has it or as a careless author would write it. */
export interface Parts {
  /** The texts of a conversation in which blocks count. */
  texts(heard: Heard): readonly string[]
  read(texts: readonly string[], enabled: boolean): Read
  /** The most hidden rounds of one request, and the malformed replies of one turn. */
  readonly rounds: number
  readonly mostMalformed: number
  args(given: Omit<SkillArgs, 'isDraft'>): JsonObject
  /** Finds a skill that a proposal names: its manifest, and the hash that it is known by. */
  find(ref: string, registry: Registry): Promise<{ readonly source: Json; readonly hash?: string } | undefined>
  /** The skill as its plan runs it. */
  program(program: SkillProgram): SkillProgram
  store(store: Store): Store
  port(name: string, port: Port<RunSettings>): Port<RunSettings>
}

/** The parts of Reflex. */
export const WHOLE: Parts = {
  texts: ({ reply }) => [isObject(reply) ? contentText(reply['content']) : wordsOf(reply)],
  read: (texts, enabled) => readReplyParts(texts, { enabled }),
  rounds: 3,
  mostMalformed: MAX_MALFORMED_REPLIES,
  args: writeArgs,
  async find(ref, { store, host, maker }) {
    const program = (await storedSkill(ref, store, host, maker))?.program
    return program === undefined ? undefined : { source: program.source }
  },
  program: (program) => program,
  store: (store) => store,
  port: (_, port) => port,
}

/** Finds the manifest of a skill without a look at its hash. */
export async function looseFind(
  ref: string,
  { store, host }: Registry,
): Promise<{ readonly source: Json; readonly hash: string } | undefined> {
  const { entries } = await store.latest(skillLedger(host.project, host.env), [entryNames.manifest(ref, '1.0.0')])
  const entry = readManifestEntry(entries[0]?.value)
  return entry === undefined ? undefined : { source: manifestJson(entry.manifest), hash: entry.hash }
}

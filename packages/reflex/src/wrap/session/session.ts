import type { Reflex } from '../../app/reflex.ts'
import type { Call, Json } from '../../kernel/index.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { TurnHost } from '../../kinds/skill/turn/host.ts'
import type { ModelReply } from '../../kinds/skill/model/turn.ts'
import { MaskedReplies } from '../../kinds/skill/turn/mask-reply.ts'
import type { RunSettings } from '../../policy/index.ts'
import { latestSelection } from '../dialects/ledgers.ts'
import { AgentCalls } from './agent-calls.ts'
import type { Conversations } from './conversations.ts'
import type { AgentSkills, OfferedSkill } from './skills.ts'
import type { AnswerMode } from './open-questions.ts'
import { TurnRun } from './turn-run.ts'

/** What a session needs of its agent. */
export interface SessionParts {
  readonly reflex: Reflex
  readonly skills: AgentSkills
  readonly installed: readonly OfferedSkill[]
  readonly conversations: Conversations
  /** The name of the conversation, if the host gives one. */
  readonly conversation: string | undefined
  readonly tools: readonly SkillTool[]
  readonly signal: AbortSignal | undefined
  /** True: a resumed turn whose code diverges from its record fails. */
  readonly isStrict: boolean
  /** What it does when a person has to answer. */
  readonly answers: AnswerMode
}

/**
 * One turn of a wrapped agent in this process: the calls of its code, which are performed when its run asks for them. A resumed turn answers
 * from the record what the record has. If the run fails, the code works on without it (reference skill 1.14).
 */
export class TurnSession implements TurnHost {
  readonly run: TurnRun
  readonly calls: AgentCalls
  readonly #replies: MaskedReplies
  readonly #parts: Pick<SessionParts, 'skills' | 'installed'>

  constructor({ reflex, skills, installed, isStrict, answers, ...parts }: SessionParts) {
    this.#parts = { skills, installed }
    this.#replies = new MaskedReplies(installed.map(({ skill }) => skill.manifest))
    const leaves = (name: string): boolean => parts.tools.find((tool) => tool.name === name)?.sideEffects !== 'none'
    this.run = new TurnRun(reflex, { leaves, isStrict, answers, logContent: skills.host.logContent })
    this.calls = new AgentCalls({ ...parts, run: this.run, prefix: '' })
  }

  async model(call: Call<RunSettings>): Promise<Json> {
    const reply = await (await this.run.presented(call)).perform(call)
    return this.#replies.mask(reply as unknown as ModelReply) as unknown as Json
  }

  async act(call: Call<RunSettings>): Promise<Json> {
    return (await this.run.presented(call)).perform(call)
  }

  async cards(call: Call<RunSettings>): Promise<Json> {
    const { skills, installed } = this.#parts
    const { conversation, opening } = this.calls.models
    const previous =
      conversation === undefined || opening === undefined ? undefined : latestSelection(conversation.ledger, opening.canonical)
    return (await skills.bulletin(installed, call, previous)) as unknown as Json
  }
}

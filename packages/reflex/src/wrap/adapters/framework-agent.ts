import { AsyncLocalStorage } from 'node:async_hooks'
import type { Reflex } from '../../app/reflex.ts'
import { isFault, type State } from '../../kernel/index.ts'
import { TURN_KEYS } from '../../kinds/skill/turn/turn.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { type Fields, fieldsOf } from '../dialects/loose.ts'
import type { AgentParts } from '../session/agent.ts'
import type { AgentContext, ResumeOptions, TurnOptions, Wrapped } from '../session/wrap.ts'
import { WrappedAgent } from '../session/wrapped-agent.ts'
import type { Adapter, FrameworkTurn, OutputReader } from './contract.ts'

/** A wrapped agent of a framework. */
export interface WrappedFramework<Input = unknown, Output = unknown, Streamed = Output> extends Wrapped<Input, Output> {
  /**
   * Runs one turn whose output arrives in pieces, and resolves with the output of the framework when it begins. The turn ends when the output
   * is complete. Rejects as `run` does if the turn fails before. A later failure is that of the output; one of Reflex, such as `R2151`, is
   * reported.
   */
  stream(input: Input, options?: TurnOptions): Promise<Streamed>
}

/** What an agent of a framework is made of. */
export interface FrameworkParts {
  readonly reflex: Reflex
  readonly adapter: Adapter
  readonly parts: AgentParts
  /** The settings with proxies in place of their models and tools. */
  readonly settings: Fields
  readonly facts: readonly SkillTool[]
  readonly turn: FrameworkTurn
  /** Restores what was replaced in place. */
  readonly restore: () => void
  readonly onUnwrap: () => void
}

/** A turn whose output arrives in pieces. */
interface StreamedTurn {
  readonly reader: OutputReader
  /** Takes the output as soon as there is one. */
  readonly begun: (output: unknown) => void
}

const STREAMED = new AsyncLocalStorage<StreamedTurn | undefined>()

/** Runs the turns of an agent of a framework: each is a run, as that of a plain loop is. */
export class FrameworkAgent extends WrappedAgent<unknown, unknown> implements WrappedFramework {
  readonly #reflex: Reflex

  constructor({ reflex, adapter, parts, settings, facts, turn, restore, onUnwrap }: FrameworkParts) {
    const read = new WeakMap<object, Promise<unknown>>()
    const agent = async (input: unknown, context: AgentContext): Promise<unknown> => {
      const streamed = STREAMED.getStore()
      const act = streamed === undefined ? turn.run : (turn.stream ?? turn.run)
      const output = await act(input, { ...context, settings })
      if (streamed === undefined) return output
      // Before its reader gets it.
      const kept = adapter.complete(output, streamed.reader)
      kept.catch(() => undefined)
      read.set(fieldsOf(output), kept)
      streamed.begun(output)
      return output
    }
    const { model: llm, tools } = settings
    const adapted = { agent, llm, tools, facts, restore }
    const complete = (output: unknown): Promise<unknown> => read.get(fieldsOf(output)) ?? adapter.complete(output, 'waits')
    super(reflex, { ...parts, agent, adapted, complete }, onUnwrap)
    this.#reflex = reflex
  }

  override async run(input: unknown, options: TurnOptions = {}): Promise<unknown> {
    return STREAMED.run(undefined, () => super.run(input, options))
  }

  async stream(input: unknown, options: TurnOptions = {}): Promise<unknown> {
    const begun = Promise.withResolvers<unknown>()
    const turn = STREAMED.run({ reader: 'reads', begun: begun.resolve }, () => super.run(input, options))
    begun.promise.then(
      () => turn.catch((thrown: unknown) => void (isFault(thrown) && this.#reflex.report(thrown))),
      () => undefined,
    )
    turn.then(begun.resolve, begun.reject)
    return begun.promise
  }

  /** Continues a turn as it began: its calls have the ids of streams, or of whole replies. */
  override async resume(ref: string, options: ResumeOptions = {}): Promise<unknown> {
    const { id } = await this.#reflex.find(ref)
    const { state } = await this.#reflex.runtime.peek(id)
    const streamed: StreamedTurn = { reader: 'nobody', begun: () => undefined }
    return STREAMED.run(hasStreams(state) ? streamed : undefined, () => super.resume(id, options))
  }
}

/** True if the first request of a turn was one for a stream. */
function hasStreams(state: State): boolean {
  const requests = TURN_KEYS.request('model/')
  return Object.keys(state.root.reader().snapshot()).some(
    (key) => key.startsWith(requests) && key.split('/')[1]?.endsWith('-stream') === true,
  )
}

import type { AgentChoice } from '../../policy/index.ts'
import type { Json, JsonObject } from '../../kernel/index.ts'
import type { ModelCall, ModelRequest, ScriptedReply } from '../../models/index.ts'
import type { OpenQuestion } from '../../runs/handle.ts'
import type { ReflexOptions } from '../../app/options.ts'
import type { Tool, ToolCall } from '../../tools/index.ts'
import type { DecisionContext } from '../../kinds/workflow/types.ts'

/** A decision as data: the edge by its id, event or target, or more. What is left out is nothing, and the only way on. */
export type ScriptedDecision =
  | string
  | {
      readonly go?: string
      readonly writes?: JsonObject
      readonly because?: string
      /** Stops here, for this reason. */
      readonly suspend?: string
      /** The question that a stop asks. */
      readonly ask?: JsonObject
      /** Ends the workflow here. */
      readonly complete?: true
    }

/** What is decided at a node: always the same, one after another, or as a function of what stands open there says. */
export type DecisionScript =
  | ScriptedDecision
  | readonly ScriptedDecision[]
  | ((context: DecisionContext) => ScriptedDecision | Promise<ScriptedDecision>)

/** Decisions by node; those of a called workflow as `workflow/node`. */
export type DecisionScripts<Nodes extends string> = { readonly [Node in Nodes]?: DecisionScript } & {
  readonly [path: `${string}/${string}`]: DecisionScript
}

/**
 * A tool by what it answers. It counts as one that leaves and may not be repeated unasked, as a bank does, or as what the
 * real one of that name is; an object says otherwise: `{ repeat: 'free', run }`. What it throws is its failure.
 */
export type ScriptedTool = ((args: JsonObject, call: ToolCall) => unknown) | ScriptedToolObject

interface ScriptedToolObject extends Partial<Pick<Tool, 'description' | 'leaves' | 'repeat' | 'input' | 'authored' | 'says'>> {
  run(args: JsonObject, call: ToolCall): unknown
}

/** What a model says where it is asked: always the same, one reply after another, or as a function of the request says. */
export type ReplyScript =
  | ScriptedReply
  | readonly ScriptedReply[]
  | ((request: ModelRequest, call: ModelCall) => ScriptedReply | Promise<ScriptedReply>)

/** An answer to a question: always the same, one after another, or a function's; undefined leaves it open. */
export type AnswerScript = Json | ((question: OpenQuestion) => Json | undefined)

/** What stands in for everything that a program meets, and the little that it cannot do without. */
export interface ScriptedOptions<Nodes extends string = string>
  extends Pick<
    ReflexOptions,
    | 'actions'
    | 'agents'
    | 'allowDisableMiddleware'
    | 'alwaysMiddleware'
    | 'guards'
    | 'handlers'
    | 'middleware'
    | 'onTrouble'
    | 'policy'
    | 'programs'
    | 'secrets'
    | 'services'
    | 'summarise'
    | 'toolHooks'
    | 'transforms'
    | 'trust'
    | 'workdir'
  > {
  /** What is decided at the nodes of workflows, whoever decides there otherwise. */
  readonly decide?: DecisionScripts<Nodes>
  /** What models say, by the node that asks (`node` or `program/node`), or one function for all. No model is asked anywhere else. */
  readonly models?:
    | Readonly<Record<string, ReplyScript>>
    | ((request: ModelRequest, call: ModelCall) => ScriptedReply | Promise<ScriptedReply>)
  /** What tools answer, by name; one of Reflex is replaced by that of its name. */
  readonly tools?: Readonly<Record<string, ScriptedTool>>
  /** What people say, by the name, the path or the address of a question: it is answered as soon as it is asked. A list is answers in their order. */
  readonly answers?: Readonly<Record<string, AnswerScript>>
  /** Who decides where neither program nor script says. */
  readonly agent?: AgentChoice
  /** When the clock begins, in milliseconds since the epoch or as a date; a day in 2026 if absent. */
  readonly now?: number | string | Date
  /** The kind of a file whose name does not tell it. */
  readonly kind?: string
}

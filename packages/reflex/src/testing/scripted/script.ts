import type { AgentChoice } from '../../policy/index.ts'
import type { Json, JsonObject } from '../../kernel/index.ts'
import type { ModelCall, ModelRequest, ScriptedReply } from '../../models/index.ts'
import type { OpenQuestion } from '../../runs/handle.ts'
import type { ReflexOptions } from '../../app/options.ts'
import type { Tool, ToolCall } from '../../tools/index.ts'
import type { Substitutes } from '../../kinds/tree/index.ts'
import type { DecisionContext } from '../../kinds/workflow/index.ts'

/**
 * A decision as data: the edge by its id, event or target, or an object. A missing field has no value; a missing edge is the only open
 * edge.
 */
export type ScriptedDecision =
  | string
  | {
      readonly go?: string
      readonly writes?: JsonObject
      readonly because?: string
      /** Suspends at this node, for this reason. */
      readonly suspend?: string
      /** The question of the suspension. */
      readonly ask?: JsonObject
      /** Ends the workflow at this node. */
      readonly complete?: true
    }

/** The decision at a node: always the same, a list in order, or a function of the context. */
export type DecisionScript =
  | ScriptedDecision
  | readonly ScriptedDecision[]
  | ((context: DecisionContext) => ScriptedDecision | Promise<ScriptedDecision>)

/** Decisions by node; a decision of a called workflow by `workflow/node`. */
export type DecisionScripts<Nodes extends string> = { readonly [Node in Nodes]?: DecisionScript } & {
  readonly [path: `${string}/${string}`]: DecisionScript
}

/**
 * A tool by its answer. By default it leaves and must not be repeated without a question, as a payment; or it has the traits of the real
 * tool with its name. An object sets other traits: `{ repeat: 'free', run }`. An exception is the failure of the tool.
 */
export type ScriptedTool = ((args: JsonObject, call: ToolCall) => unknown) | ScriptedToolObject

interface ScriptedToolObject extends Partial<Pick<Tool, 'description' | 'leaves' | 'repeat' | 'input' | 'authored' | 'says'>> {
  run(args: JsonObject, call: ToolCall): unknown
}

/** The reply of a model: always the same, a list in order, or a function of the request. */
export type ReplyScript =
  | ScriptedReply
  | readonly ScriptedReply[]
  | ((request: ModelRequest, call: ModelCall) => ScriptedReply | Promise<ScriptedReply>)

/** An answer to a question: always the same, a list in order, or a function; undefined leaves it open. */
export type AnswerScript = Json | ((question: OpenQuestion) => Json | undefined)

/** The script of the world of a program, and the options of `Reflex` that a program can need. */
export interface ScriptedOptions<Nodes extends string = string>
  extends Pick<ReflexOptions, 'onTrouble' | 'pipeline' | 'policy' | 'programs' | 'secrets' | 'tree' | 'trust' | 'workdir' | 'workflow'> {
  /** The decisions at the nodes of workflows. They replace the agents of these nodes. */
  readonly decide?: DecisionScripts<Nodes>
  /** The replies of models, by the node that asks (`node` or `program/node`), or one function for all requests. No real model is called. */
  readonly models?:
    | Readonly<Record<string, ReplyScript>>
    | ((request: ModelRequest, call: ModelCall) => ScriptedReply | Promise<ScriptedReply>)
  /** The answers of tools, by name. A scripted tool replaces the built-in tool with its name. */
  readonly tools?: Readonly<Record<string, ScriptedTool>>
  /**
   * The answers of people, by the name, the path or the address of a question. A question is answered as soon as it is asked. A list has
   * the answers in order.
   */
  readonly answers?: Readonly<Record<string, AnswerScript>>
  /** What stands in place of nodes of a tree, by their paths or by patterns with `*`: an answer, a mock with a delay, or a function. */
  readonly substitute?: Substitutes
  /** The agent for nodes without an agent in the program or the script. */
  readonly agent?: AgentChoice
  /** The start of the clock, in milliseconds since the epoch or as a date; a day in 2026 if absent. */
  readonly now?: number | string | Date
  /** The kind of a file whose name does not show it. */
  readonly kind?: string
}

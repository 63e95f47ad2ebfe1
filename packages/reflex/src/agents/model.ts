import type { JsonObject } from '../kernel/index.ts'
import {
  costTraits,
  type FilePart,
  messageText,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type Models,
  shortName,
  shortResult,
} from '../models/index.ts'
import type { Offer, Tools } from '../tools/index.ts'
import type { Preparation, PreparationRound } from '../kinds/workflow/step/preparation.ts'
import type { Decision, DecisionContext, Edge } from '../kinds/workflow/index.ts'
import type { AgentCall, AgentPlace, RunnableAgent } from './agent.ts'
import { chooseByRules, toDecision, writeAsRule } from './rule-choice.ts'
import { readDuration } from './duration.ts'
import { onlyEdge, outgoing } from './edges.ts'
import { Draft } from './lookup.ts'
import { answerForm } from './model-answer.ts'
import { attachedFiles, noPreparation, nextTurn, offeredTools, turnCount, turnMessages } from './model-preparation.ts'
import { promptFor, type Prompt } from './model-prompt.ts'
import { readSpec } from './read-spec.ts'
import { readRules, performActions } from './rules.ts'
import { type ModelSpec, modelSpec, type Rule } from './spec.ts'

/**
 * Returns the agent that lets a model decide. The model sees the node, the board within a budget of tokens, and the open edges,
 * and answers in a form that names only these edges. The decision records the prompt and the usage. No model is asked if at most
 * one edge is open and nothing is to be written. Throws the faults of the models: `R4001` if no model is configured.
 */
export function modelAgent(models: Models, tools?: Tools): RunnableAgent {
  const answer = async (context: DecisionContext, call: AgentCall | undefined): Promise<Decision | Preparation> => {
    const draft = new Draft(context.blackboard)
    if (context.node.spec.prompt === undefined) return decideWithoutPrompt(models, context, draft, call)
    return decide(models, readSpec(modelSpec, context.node), { context, draft, call, tools })
  }
  return {
    async resolve(context, call) {
      const decision = await answer(context, call)
      if (decision.type === 'prepare') throw noPreparation(context.node.id)
      return decision
    },
    prepare: answer,
    traits: (context, place) => ({
      leaves: false,
      repeat: 'free',
      needs: ['arbor://orchestrator/execute/llm_query'],
      ...(asksModel(context)
        ? costTraits(
            () => models,
            () => plannedRequest(context, tools, place),
          )
        : {}),
    }),
  }
}

/** Returns the request that a node would send now. Throws if the node cannot send one. */
function plannedRequest(context: DecisionContext, tools: Tools | undefined, place: AgentPlace | undefined): ModelRequest {
  const draft = new Draft(context.blackboard)
  const spec = context.node.spec.prompt === undefined ? defaultSpec(context) : readSpec(modelSpec, context.node)
  const edges = openEdges(context)
  const { prompt, form } = promptOf(spec, context, draft, edges)
  const rounds = place?.prepared ?? []
  const files = attachedFiles(spec, draft, rounds)
  const prepared = { parts: 'parts' in files ? files.parts : [], offers: offeredTools(spec, tools), rounds }
  return requestFor(spec, prompt, form.output, prepared, labelOf(context))
}

/** True if the node asks a model: several edges are open, or a value is to be written. */
function asksModel({ node, validEdges }: DecisionContext): boolean {
  return validEdges.length > 1 || node.spec['writes'] !== undefined
}

interface DecisionInputs {
  readonly context: DecisionContext
  readonly draft: Draft
  readonly call: AgentCall | undefined
  /** The rules of the node. The writes of a rule belong to the edge that it names. */
  readonly rules?: readonly Rule[]
  readonly tools?: Tools | undefined
}

async function decide(
  models: Models,
  spec: ModelSpec,
  { context, draft, call, rules = [], tools }: DecisionInputs,
): Promise<Decision | Preparation> {
  const edges = openEdges(context)
  if (edges.length < 2 && spec.writes === undefined) {
    const edge = onlyEdge(context)
    return toDecision({ edge, because: edge === undefined ? undefined : `only ${edge.event} is open` }, draft, 'rules')
  }
  const rounds = call?.prepared ?? []
  const files = attachedFiles(spec, draft, rounds)
  if ('preparation' in files) return files.preparation
  const offers = offeredTools(spec, tools)
  if (offers.length > 0 && call?.prepared === undefined) throw noPreparation(context.node.id)
  const { prompt, form } = promptOf(spec, context, draft, edges)
  const request = requestFor(spec, prompt, form.output, { parts: files.parts, offers, rounds }, labelOf(context))
  const reply = await models.generate(request, call ?? NO_CALL)
  if (reply.calls !== undefined && reply.calls.length > 0 && offers.length > 0)
    return { ...nextTurn(spec, reply, offers, rounds), by: authorOf(reply), used: usageOf(reply) }
  const chosen = form.apply(reply, draft)
  if (chosen.edge !== undefined) writeAsRule(rules, chosen.edge, context, draft)
  return { ...toDecision(chosen, draft, authorOf(reply)), saw: shownInputs(prompt, request.messages), used: usageOf(reply) }
}

function promptOf(spec: ModelSpec, context: DecisionContext, draft: Draft, edges: readonly Edge[]) {
  return { prompt: promptFor(spec, context, draft, edges), form: answerForm(spec.writes, context.workflow, edges) }
}

function labelOf({ workflow, node }: DecisionContext): string {
  return `${workflow.id}/${node.id}`
}

/** Returns the open edges. A node where the workflow ends has none. Throws `R2102` if all edges of a node are closed. */
function openEdges(context: DecisionContext): readonly Edge[] {
  if (context.validEdges.length === 0 && outgoing(context).length > 0) onlyEdge(context)
  return context.validEdges
}

/** Decides at a node without a prompt: the actions of its rules are performed, and the model chooses if several edges are open. */
async function decideWithoutPrompt(
  models: Models,
  context: DecisionContext,
  draft: Draft,
  call: AgentCall | undefined,
): Promise<Decision | Preparation> {
  const spec = readRules(context.node)
  const summary = performActions(spec, draft)
  if (context.validEdges.length < 2) {
    const { edge, because } = chooseByRules(spec, context, draft)
    return toDecision({ edge, because: because ?? summary }, draft, 'rules')
  }
  return decide(models, defaultSpec(context), { context, draft, call, rules: spec.rules ?? [] })
}

/** Returns the default spec of a node without a prompt. */
function defaultSpec({ node }: DecisionContext): ModelSpec {
  return modelSpec.parse({ prompt: escaped(node.description ?? `Where does ${node.id} go?`) })
}

/** Returns a text in which no part is a template. */
function escaped(text: string): string {
  return text.replaceAll('{{', '{ {')
}

/** The parts of a request besides its prompt. */
interface RequestParts {
  readonly parts: readonly FilePart[]
  readonly offers: readonly Offer[]
  readonly rounds: readonly PreparationRound[]
}

function requestFor(
  spec: ModelSpec,
  { messages: [system, question, ...others] }: Prompt,
  output: ModelRequest['output'],
  { parts, offers, rounds }: RequestParts,
  label: string,
): ModelRequest {
  const timeout = spec.timeout === undefined ? undefined : readDuration(spec.timeout)
  const tryTimeout = spec.tryTimeout === undefined ? undefined : readDuration(spec.tryTimeout)
  const cache = { cache: true } as const
  const messages: readonly ModelMessage[] = [
    ...(system === undefined ? [] : [{ ...system, ...(spec.cache === undefined ? {} : cache) }]),
    ...(question?.role === 'user'
      ? [{ ...question, ...(parts.length === 0 ? {} : { parts }), ...(spec.cache === 'prompt' ? cache : {}) }]
      : []),
    ...others,
    ...turnMessages(rounds),
  ]
  const choice = turnCount(rounds) > 0 && spec.toolChoice !== 'none' ? 'auto' : toolChoiceOf(spec.toolChoice, offers)
  return {
    messages,
    label,
    ...(output === undefined ? {} : { output }),
    ...(spec.model === undefined ? {} : { model: spec.model }),
    ...(spec.fallback === undefined ? {} : { fallback: spec.fallback }),
    ...(spec.temperature === undefined ? {} : { temperature: spec.temperature }),
    ...(spec.maxTokens === undefined ? {} : { maxTokens: spec.maxTokens }),
    ...(spec.effort === undefined ? {} : { effort: spec.effort }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(tryTimeout === undefined ? {} : { tryTimeout }),
    ...(spec.retries === undefined ? {} : { retries: spec.retries }),
    ...(spec.providerOptions === undefined ? {} : { options: spec.providerOptions }),
    ...(offers.length === 0 ? {} : { tools: offers.map(({ name, description, schema }) => ({ name, description, schema })) }),
    ...(offers.length === 0 || choice === undefined ? {} : { choice }),
  }
}

/** Returns the tool choice of a request. A tool is named as models call it. */
function toolChoiceOf(choice: ModelSpec['toolChoice'], offers: readonly Offer[]): ModelRequest['choice'] {
  if (typeof choice !== 'object') return choice
  return { tool: offers.find(({ tool }) => tool === choice.tool)?.name ?? choice.tool }
}

const NO_CALL = { signal: new AbortController().signal, key: '', part: (): void => undefined }

/** Returns the author of a reply for the journal: its model, or the source of a reply that no model wrote. */
function authorOf({ by, model }: ModelReply): string {
  if (by !== undefined) return by === 'hand' ? 'a reply written by hand' : by
  return shortName(model)
}

function shownInputs({ board, filled }: Prompt, messages: readonly ModelMessage[]): JsonObject {
  const { keys, cut, left } = board
  return {
    keys: [...keys, ...filled.filter((key) => !keys.includes(key) && !cut.includes(key))],
    ...(cut.length === 0 ? {} : { cut }),
    ...(left.length === 0 ? {} : { left }),
    messages: messages.map((message) => ({ role: message.role, content: shownText(message) })),
  }
}

/** The number of characters of a tool's result that a decision repeats. The record of the call has all of it. */
const SHOWN_RESULT = 2_000

function shownText(message: ModelMessage): string {
  if (message.role === 'tool') {
    const result = shortResult(message.result, SHOWN_RESULT)
    return typeof result === 'string' ? result : JSON.stringify(result)
  }
  const calls = message.role === 'assistant' ? (message.calls ?? []) : []
  return [messageText(message), ...calls.map(({ name, args }) => `[calls ${name} ${JSON.stringify(args)}]`)]
    .filter((text) => text !== '')
    .join('\n')
}

function usageOf({ model, usage, cost, tries, estimated, failures }: ModelReply): JsonObject {
  return {
    model,
    input: usage.input,
    output: usage.output,
    ...(usage.cached === undefined ? {} : { cached: usage.cached }),
    ...(usage.cacheWrite === undefined ? {} : { cacheWrite: usage.cacheWrite }),
    ...(cost === undefined ? {} : { usd: cost }),
    ...(tries === 1 ? {} : { tries }),
    ...(estimated === true ? { estimated } : {}),
    ...(failures === undefined ? {} : { failures: failures.map((failure) => ({ ...failure })) }),
  }
}

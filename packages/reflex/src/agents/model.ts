import type { JsonObject } from '../kernel/index.ts'
import { costTraits, type ModelReply, type ModelRequest, type Models, shortName } from '../models/index.ts'
import type { Decision, DecisionContext, Edge } from '../workflow/types.ts'
import type { AgentCall, RunnableAgent } from './agent.ts'
import { chooseWay, decided, writeAsRule } from './choose.ts'
import { readDuration } from './duration.ts'
import { onlyWay, outgoing } from './edges.ts'
import { Draft } from './lookup.ts'
import { answerForm } from './model-answer.ts'
import { promptFor, type Prompt } from './model-prompt.ts'
import { readSpec } from './read-spec.ts'
import { readWorking, work } from './rules.ts'
import { type ModelSpec, modelSpec, type Rule } from './spec.ts'

/**
 * Lets a model decide. It is shown the node, the board within a budget of tokens, and the open ways, and answers in a form
 * in which only these can be named; the decision keeps what it saw and what it took. Nothing is asked of a model where
 * there is one way and nothing to write. Throws what the models throw: `R4001` where none is configured.
 */
export function modelAgent(models: Models): RunnableAgent {
  return {
    async resolve(context, call) {
      const draft = new Draft(context.blackboard)
      if (context.node.spec.prompt === undefined) return decideInstead(models, context, draft, call)
      return decide(models, readSpec(modelSpec, context.node), { context, draft, call })
    },
    traits: (context) => ({
      leaves: false,
      repeat: 'free',
      needs: ['arbor://orchestrator/execute/llm_query'],
      ...(asksModel(context)
        ? costTraits(
            () => models,
            () => plannedRequest(context),
          )
        : {}),
    }),
  }
}

/** The request that a node would send now. A node that cannot make one sends nothing. */
function plannedRequest(context: DecisionContext): ModelRequest {
  const draft = new Draft(context.blackboard)
  const spec = context.node.spec.prompt === undefined ? insteadSpec(context) : readSpec(modelSpec, context.node)
  return requestOf(spec, context, draft, waysOf(context)).request
}

/** Nothing is asked of a model where there is one way and nothing to write. */
function asksModel({ node, validEdges }: DecisionContext): boolean {
  return validEdges.length > 1 || node.spec['writes'] !== undefined
}

interface Deciding {
  readonly context: DecisionContext
  readonly draft: Draft
  readonly call: AgentCall | undefined
  /** The rules of the node, whose writes belong to the way that is chosen. */
  readonly rules?: readonly Rule[]
}

async function decide(models: Models, spec: ModelSpec, { context, draft, call, rules = [] }: Deciding): Promise<Decision> {
  const ways = waysOf(context)
  if (ways.length < 2 && spec.writes === undefined) {
    const edge = onlyWay(context)
    return decided({ edge, because: edge === undefined ? undefined : `only ${edge.event} is open` }, draft, 'rules')
  }
  const { prompt, form, request } = requestOf(spec, context, draft, ways)
  const reply = await models.generate(request, call ?? UNWATCHED)
  const way = form.take(reply, draft)
  if (way.edge !== undefined) writeAsRule(rules, way.edge, context, draft)
  return { ...decided(way, draft, authorOf(reply)), saw: saw(prompt), used: usedBy(reply) }
}

function requestOf(spec: ModelSpec, context: DecisionContext, draft: Draft, ways: readonly Edge[]) {
  const prompt = promptFor(spec, context, draft, ways)
  const form = answerForm(spec.writes, context.workflow, ways)
  return { prompt, form, request: requestFor(spec, prompt, form.output, `${context.workflow.id}/${context.node.id}`) }
}

/** The open ways; a node that ends has none, and one whose ways are all closed cannot be decided. */
function waysOf(context: DecisionContext): readonly Edge[] {
  if (context.validEdges.length === 0 && outgoing(context).length > 0) onlyWay(context)
  return context.validEdges
}

/** At a node that asks nothing of a model: what rules would work out is worked out, and the model chooses where there is a choice. */
async function decideInstead(models: Models, context: DecisionContext, draft: Draft, call: AgentCall | undefined): Promise<Decision> {
  const spec = readWorking(context.node)
  const said = work(spec, draft)
  if (context.validEdges.length < 2) {
    const { edge, because } = chooseWay(spec, context, draft)
    return decided({ edge, because: because ?? said }, draft, 'rules')
  }
  return decide(models, insteadSpec(context), { context, draft, call, rules: spec.rules ?? [] })
}

/** The request to a model at a node without a prompt. */
function insteadSpec({ node }: DecisionContext): ModelSpec {
  return modelSpec.parse({ prompt: escaped(node.description ?? `Where does ${node.id} go?`) })
}

/** A description is no template. */
function escaped(text: string): string {
  return text.replaceAll('{{', '{ {')
}

function requestFor(spec: ModelSpec, { messages }: Prompt, output: ModelRequest['output'], label: string): ModelRequest {
  const timeout = spec.timeout === undefined ? undefined : readDuration(spec.timeout)
  const tryTimeout = spec.tryTimeout === undefined ? undefined : readDuration(spec.tryTimeout)
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
  }
}

const UNWATCHED = { signal: new AbortController().signal, key: '', part: (): void => undefined }

/** A reply that no model wrote says so wherever the decision is told. */
function authorOf({ by, model }: ModelReply): string {
  if (by !== undefined) return by === 'hand' ? 'a reply written by hand' : by
  return shortName(model)
}

function saw({ board, filled, messages }: Prompt): JsonObject {
  const { keys, cut, left } = board
  return {
    keys: [...keys, ...filled.filter((key) => !keys.includes(key) && !cut.includes(key))],
    ...(cut.length === 0 ? {} : { cut }),
    ...(left.length === 0 ? {} : { left }),
    messages: messages.map((message) => ({ role: message.role, content: 'content' in message ? (message.content ?? '') : '' })),
  }
}

function usedBy({ model, usage, cost, tries, estimated, failures }: ModelReply): JsonObject {
  return {
    model,
    input: usage.input,
    output: usage.output,
    ...(cost === undefined ? {} : { usd: cost }),
    ...(tries === 1 ? {} : { tries }),
    ...(estimated === true ? { estimated } : {}),
    ...(failures === undefined ? {} : { failures: failures.map((failure) => ({ ...failure })) }),
  }
}

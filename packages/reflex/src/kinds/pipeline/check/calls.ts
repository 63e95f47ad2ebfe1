import type { Json } from '../../../kernel/index.ts'
import { didYouMean, quote } from '../../../text/index.ts'
import { ACTION_FACTS, canonicalAction } from '../model/action-facts.ts'
import { plainAction } from '../model/action-names.ts'
import { type Parameters, readParameters } from '../model/action-parameters.ts'
import { findChoice } from '../language/find-choice.ts'
import type { TypedNode } from '../model/typed.ts'
import { listOf, textOf } from '../dot/graph.ts'
import { modelToolName } from '../../../tools/index.ts'
import { offeredChoices } from '../model/human-choices.ts'
import { modelName } from '../model/model-name.ts'
import type { LintFinding, LintRule } from './finding.ts'
import { guesser } from './guess.ts'
import { valuesThat } from './search.ts'
import type { LintSubject } from './subject.ts'

/** Applies only if the models are known. Reports each name once, at the first node that has it. */
export const modelKnown: LintRule = {
  name: 'model_known',
  code: 'R1190',
  *apply({ graph, nodes, operations, options: { models } }) {
    const seen = new Set<string>()
    for (const { id, node, operation, facts } of models === undefined ? [] : nodes.values()) {
      const own = ['llm_model', 'model'].find((name) => (textOf(node.attributes, name) ?? '').trim() !== '')
      if (operations.attributes.find('node', 'llm_model', operation) === 'ignored' || (own === undefined && facts.form !== 'model'))
        continue
      const name = modelName(node.attributes, graph.attributes)
      if (name === undefined || name.includes('$') || seen.has(name)) continue
      seen.add(name)
      const at = own === undefined ? { attribute: ofGraph(graph.attributes) } : { node: id, attribute: own }
      for (const { code, message, fix } of models?.(name) ?? []) {
        // A missing key or package affects all models of a provider.
        const once = code === 'R4003' || code === 'R4004' ? `${code} ${fix}` : ''
        if (once !== '' && seen.has(once)) continue
        seen.add(once)
        yield { message, fix, ...at }
      }
    }
  },
}

function ofGraph(attributes: LintSubject['graph']['attributes']): string {
  return attributes.has('llm_model') ? 'llm_model' : 'model'
}

const NAMING_TOOLS = ['tools', 'terminal_tools']

/** Applies only if the tools are known. Accepts their names and the names under which models call them. */
export const toolKnown: LintRule = {
  name: 'tool_known',
  code: 'R1191',
  *apply({ nodes, options: { tools } }) {
    if (tools === undefined) return
    const known = new Set([...tools, ...tools.map(modelToolName)])
    const guess = guesser(tools)
    for (const { id, node, custom } of nodes.values()) {
      if (custom !== undefined || !NAMING_TOOLS.some((attribute) => node.attributes.has(attribute))) continue
      for (const attribute of NAMING_TOOLS) {
        for (const name of listOf(node.attributes, attribute)) {
          if (known.has(name) || name.includes('$')) continue
          const meant = guess(name)
          const fix = meant === undefined ? `tools: ${tools.join(', ')}` : `write ${quote(meant)}`
          yield {
            message: `${quote(id)} names the tool ${quote(name)}; there is no such tool`,
            node: id,
            attribute,
            note: didYouMean(meant),
            fix,
          }
        }
      }
    }
  },
}

/** Checks the parameters that the author writes. Values from the context are unknown before a run. */
export const actionParameters: LintRule = {
  name: 'action_parameters',
  code: 'R1192',
  *apply(subject) {
    for (const node of valuesThat(subject.nodes, ({ facts }) => facts.performs !== undefined)) {
      const action = textOf(node.node.attributes, node.facts.performs ?? '') ?? ''
      if (action === '') continue
      const host = subject.options.parameters?.(plainAction(action))
      const parameters = host ?? ACTION_FACTS.get(canonicalAction(action))?.parameters
      if (parameters !== undefined) yield* parameterFindings(node, action, parameters)
    }
  },
}

function* parameterFindings({ id, node }: TypedNode, action: string, parameters: Parameters): Generator<LintFinding> {
  const given = new Map<string, { readonly attribute: string; readonly value: Json }>()
  for (const [attribute, { value }] of node.attributes) {
    const [, name] = /^(?:param|arg)\.(.+)$/.exec(attribute) ?? []
    if (name !== undefined) given.set(name, { attribute, value })
  }
  const loose = new Set(listOf(node.attributes, 'context_keys').map((key) => key.split('.').at(-1) ?? key))
  loose.add(textOf(node.attributes, 'timeout_budget.param') ?? '')
  for (const [name, { value }] of given) if (typeof value === 'string' && value.includes('$')) loose.add(name)
  const names = Object.entries(parameters).map(([name, { also = [] }]) => [name, ...also])
  const guess = guesser(names.flat())
  for (const [name, { attribute }] of given) {
    const meant = names.some((known) => known.includes(name)) ? undefined : guess(name)
    const fix = meant === undefined ? undefined : `write ${attribute.replace(name, meant)}`
    if (meant !== undefined)
      yield { message: `${quote(id)}: ${action} takes no parameter ${quote(name)}`, node: id, attribute, note: didYouMean(meant), fix }
  }
  for (const [index, [name, parameter]] of Object.entries(parameters).entries()) {
    const own = names[index] ?? []
    if (own.some((one) => loose.has(one))) continue
    const read = readParameters({ [name]: parameter }, Object.fromEntries([...given].map(([one, { value }]) => [one, value])))
    const attribute = own.map((one) => given.get(one)?.attribute).find((one) => one !== undefined) ?? 'action'
    if ('problem' in read) yield { message: `${quote(id)}: ${action}: ${read.problem}`, node: id, attribute }
  }
}

/** A default that names no choice counts as no default: after a timeout the node fails (reference pipeline 7.3). */
export const defaultChoice: LintRule = {
  name: 'default_choice',
  code: 'R1193',
  *apply({ nodes, outgoing }) {
    for (const node of valuesThat(nodes, ({ facts: { form } }) => form === 'choice' || form === 'approval')) {
      const { id } = node
      const word = textOf(node.node.attributes, 'human.default_choice')
      if (word === undefined) continue
      const choices = offeredChoices(node, outgoing.get(id) ?? [])
      if (choices === undefined || word.includes('$') || findChoice(choices, word) !== undefined) continue
      const names = choices.map(({ label }) => label)
      const meant = guesser(names)(word)
      const fix = meant === undefined ? `write ${names.map(quote).join(' or ')}` : `write ${quote(meant)}`
      const message = `the default of ${quote(id)} is ${quote(word)}; it is not one of its choices`
      yield { message, node: id, attribute: 'human.default_choice', note: didYouMean(meant), fix }
    }
  },
}

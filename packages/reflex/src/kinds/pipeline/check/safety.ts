import { quote } from '../../../text/index.ts'
import { type Attributes, textOf } from '../dot/graph.ts'
import type { LintFinding, LintRule } from './finding.ts'

const HOOKS = ['pre_hook', 'post_hook', 'tool_hooks.pre', 'tool_hooks.post']
/** All attributes that the rule reads. */
const ASKING = ['skip_middleware', 'mandatory_middleware', 'sandbox', ...HOOKS]

/** Finds attributes that reduce protection, or run commands around the nodes (reference pipeline 5.6, 11.3). */
export const dangerousSkip: LintRule = {
  name: 'dangerous_skip',
  code: 'R1139',
  *apply({ graph, nodes, hasAny, options }) {
    const severity = options.author === 'untrusted' ? ('error' as const) : undefined
    for (const [attribute, message] of dangerousAttributes(graph.attributes, 'the graph')) yield { message, attribute, severity }
    if (!hasAny(ASKING)) return
    for (const { id, node } of nodes.values()) {
      if (!ASKING.some((attribute) => node.attributes.has(attribute))) continue
      for (const [attribute, message] of dangerousAttributes(node.attributes, quote(id))) yield { message, node: id, attribute, severity }
    }
  },
}

function* dangerousAttributes(attributes: Attributes, whose: string): Generator<readonly [attribute: string, message: string]> {
  const is = (attribute: string): string => (textOf(attributes, attribute) ?? '').trim()
  if (is('skip_middleware') !== '') yield ['skip_middleware', `${whose} skips ${is('skip_middleware')}`]
  if (/^(false|0)$/i.test(is('mandatory_middleware'))) yield ['mandatory_middleware', `${whose} disables the mandatory middleware`]
  if (is('sandbox') === 'none') yield ['sandbox', `${whose} runs commands without a sandbox`]
  for (const hook of HOOKS) if (is(hook) !== '') yield [hook, `${whose} runs a command as ${hook}`]
}

/** A container is a sandbox of other runners: no command runs in a weaker sandbox than its author requests. */
export const sandboxAvailable: LintRule = {
  name: 'sandbox_available',
  code: 'R1143',
  *apply({ nodes, hasAny }) {
    if (!hasAny(['sandbox'])) return
    for (const { id, node } of nodes.values()) {
      if (textOf(node.attributes, 'sandbox')?.trim() !== 'container') continue
      const message = `${quote(id)} requests the sandbox "container"; Reflex has no containers and would not run the command`
      yield { message, node: id, attribute: 'sandbox', fix: 'write sandbox="strict": no network, and writes only below the work folder' }
    }
  },
}

/** Yields one finding for the whole pipeline. */
export const capabilitiesRequired: LintRule = {
  name: 'capabilities_required',
  code: 'R1140',
  *apply({ capabilities }): Generator<LintFinding> {
    if (capabilities.length === 0) return
    const shown = capabilities.slice(0, 8).join(', ')
    const more = capabilities.length > 8 ? ` and ${capabilities.length - 8} more` : ''
    yield { message: `needs ${shown}${more}`, data: { capabilities: [...capabilities] } }
  },
}

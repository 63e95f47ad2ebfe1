import { didYouMean, once, quote, quoteAll, suggester } from '../../../text/index.ts'
import { bindingFault, type BindingProblem, bindParameter, exposedProblem } from '../manifests/bind-parameter.ts'
import type { Binding, ClusterNode, ClusterParameter } from '../model/document.ts'
import type { ParameterDeclaration } from '../model/manifest.ts'
import type { DefinitionReport } from './report.ts'

type Declaration = ParameterDeclaration | ClusterParameter
/** The parameters of the cluster around, by name. */
type Exposable = ReadonlyMap<string, ClusterParameter>

const MAX_LISTED = 9

/** Checks the parameters that a node states, against the declarations of its primitive or cluster: rules I.3, I.4, I.5 and I.7. */
export function checkBindings(report: DefinitionReport, node: ClusterNode, declared: readonly Declaration[], exposable: Exposable): void {
  const stated = Object.keys(node.params).sort()
  if (stated.length > 0) checkNames(report, node, stated, new Set(declared.map(({ name }) => name)))
  for (const declaration of declared) {
    const binding = Object.hasOwn(node.params, declaration.name) ? node.params[declaration.name] : undefined
    if (binding !== undefined) checkBinding(report, node, declaration, binding, exposable)
    else if (isRequired(declaration)) unbound(report, node, declaration)
  }
}

/** True if a parameter needs a value from outside. */
export function isRequired({ required, default: value }: Declaration): boolean {
  return value === undefined && required !== false
}

function checkNames(report: DefinitionReport, node: ClusterNode, stated: readonly string[], known: ReadonlySet<string>): void {
  const suggestOf = once(() => suggester(known))
  for (const name of stated) if (!known.has(name)) undeclared(report, node, name, [...known].slice(0, MAX_LISTED), suggestOf()(name))
}

function undeclared(report: DefinitionReport, node: ClusterNode, name: string, known: readonly string[], guess: string | undefined): void {
  const fix = known.length === 0 ? 'remove it; there are no parameters' : `remove it, or write one of ${quoteAll(known)}`
  report.add(
    'R1314',
    `node ${quote(node.id)} binds ${quote(name)}, and ${quote(node.target)} has no such parameter`,
    ['nodes', node.id, 'params', name],
    {
      rule: 'I.7',
      part: 'key',
      note: didYouMean(guess),
      fix: guess === undefined ? fix : `write ${quote(guess)}`,
    },
  )
}

function unbound(report: DefinitionReport, { id, target }: ClusterNode, { name, type }: Declaration): void {
  report.add('R1313', `node ${quote(id)} does not state the parameter ${quote(name)} of ${quote(target)}`, ['nodes', id], {
    rule: 'I.3',
    part: 'key',
    note: `${quote(name)} is missing`,
    fix: `add ${quote(name)} with a value of type ${type} to "params"`,
  })
}

function checkBinding(report: DefinitionReport, node: ClusterNode, declaration: Declaration, binding: Binding, exposable: Exposable): void {
  const path = ['nodes', node.id, 'params', declaration.name]
  if (typeof binding !== 'object') {
    const bound = bindParameter(declaration, binding)
    if ('problem' in bound) refused(report, node, declaration, bound.problem, path)
    return
  }
  const { id } = report.source.definition
  const outer = exposable.get(binding.exposed)
  if (outer === undefined) {
    const guess = report.suggestParameter(binding.exposed)
    report.add(
      'R1314',
      `node ${quote(node.id)} exposes ${quote(binding.exposed)}, and ${quote(id)} has no such parameter`,
      [...path, 'exposed'],
      {
        rule: 'I.5',
        note: didYouMean(guess),
        fix: guess === undefined ? `declare it in "parameters"` : `write ${quote(guess)}`,
      },
    )
    return
  }
  const problem = exposedProblem(declaration, outer)
  if (problem !== undefined) refused(report, node, declaration, problem, path)
  else if (isRequired(declaration) && outer.default === undefined && !outer.required)
    report.add('R1313', `the parameter ${quote(outer.name)} can be without a value, and ${quote(node.target)} needs one`, path, {
      rule: 'I.3',
      fix: `declare ${quote(outer.name)} with a default or as required`,
    })
}

function refused(
  report: DefinitionReport,
  node: ClusterNode,
  { name }: Declaration,
  problem: BindingProblem,
  path: readonly (string | number)[],
): void {
  const subject = report.subject(`parameter ${quote(name)} of node ${quote(node.id)}`)
  report.push(bindingFault(problem, subject, report.source.locate(path)))
}

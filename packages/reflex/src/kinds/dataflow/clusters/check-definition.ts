import { quote } from '../../../text/index.ts'
import { bindParameter } from '../manifests/bind-parameter.ts'
import type { ClusterParameter } from '../model/document.ts'
import type { DefinitionReport } from './report.ts'

/** Checks a definition by itself: rules D.1, D.5, D.8 and D.9. Outputs are keys of an object, so D.6 is checked where a text is read. */
export function checkDefinition(report: DefinitionReport): void {
  const { nodes, inputs, parameters, id } = report.source.definition
  if (nodes.length === 0) report.add('R1310', `${quote(id)} has no nodes`, ['nodes'], { rule: 'D.1', fix: 'add a node' })
  repeats(inputs, (name, i) => repeated(report, 'D.5', `input ${quote(name)}`, ['inputs', i, 'name']))
  repeats(parameters, (name, i) => repeated(report, 'D.9', `parameter ${quote(name)}`, ['parameters', i, 'name']))
  for (const [index, parameter] of parameters.entries()) checkDefault(report, parameter, index)
}

function repeats(list: readonly { readonly name: string }[], found: (name: string, index: number) => void): void {
  const seen = new Set<string>()
  for (const [index, { name }] of list.entries()) {
    if (seen.has(name)) found(name, index)
    seen.add(name)
  }
}

function repeated(report: DefinitionReport, rule: string, what: string, path: readonly (string | number)[]): void {
  report.add('R1311', `the ${what} is declared twice`, path, { rule, note: 'the second', fix: 'rename or remove one of them' })
}

function checkDefault(report: DefinitionReport, parameter: ClusterParameter, index: number): void {
  const path = ['parameters', index, 'default']
  const name = `parameter ${quote(parameter.name)}`
  if (parameter.type === 'Enum' && (parameter.values ?? []).length === 0) {
    const fix = 'list its values in "values"'
    report.add('R1312', `${name} is an Enum without values`, ['parameters', index, 'type'], { rule: 'D.8', fix })
  } else if (typeof parameter.default === 'object') {
    const { derive_key: slot } = parameter.default
    if (parameter.type !== 'String')
      report.add('R1312', `${name} is of type ${parameter.type}, and a derived key is a text`, path, {
        rule: 'D.8',
        fix: 'declare it as a String',
      })
    else if (slot === '' || !slot.isWellFormed())
      report.add('R1312', `the derived key of ${name} has no name`, path, { rule: 'D.8', fix: 'write a name in "derive_key"' })
  } else if (parameter.default !== undefined) {
    const bound = bindParameter(parameter, parameter.default)
    if ('problem' in bound)
      report.add('R1312', `the default does not fit: ${name} ${bound.problem.reason}`, path, { rule: 'D.8', fix: bound.problem.fix })
  }
}

import type { PartHelp, Parts } from '../../../programs/part-help.ts'
import type { NodeManifest, Parameter } from '../manifest/manifest.ts'

/** The nodes of trees, for `reflex explain`. */
export function nodeParts(nodes: readonly NodeManifest[]): Parts {
  const byName = new Map(nodes.flatMap((node) => namesOf(node).map((name): [string, NodeManifest] => [name, node])))
  return {
    names: () => [...byName.keys()],
    find(name) {
      const node = byName.get(name)
      return node === undefined ? undefined : helpOf(node)
    },
  }
}

/** Its type, its names in Lua and in XML. */
function namesOf({ type, lua, xml = {} }: NodeManifest): string[] {
  return [...new Set([type, ...(lua?.name === undefined ? [] : [lua.name]), ...(lua?.aliases ?? []), ...Object.keys(xml)])]
}

function helpOf(node: NodeManifest): PartHelp {
  const { type, role, children, doc, example, parameters, xml = {} } = node
  return {
    name: type,
    does: doc,
    facts: [role, ...Object.keys(xml).map((name) => `<${name}>`)],
    written: [example],
    attributes: parameters.map(attributeOf),
    document: {
      type,
      role,
      children: [...children],
      doc,
      example,
      parameters: parameters.map((parameter) => ({ ...parameter })),
    },
  }
}

function attributeOf({ name, aliases = [], type, values, unit, default: usual, doc, required }: Parameter): PartHelp['attributes'][number] {
  return {
    name,
    aliases,
    takes: values === undefined ? `${type}${unit === undefined ? '' : ` in ${unit}`}` : Object.keys(values).join(', '),
    usual: usual === undefined ? '' : String(usual),
    does: doc,
    isRequired: required === true,
  }
}

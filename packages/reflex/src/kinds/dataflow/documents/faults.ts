import { defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** The faults of reading a dataflow document (R1300 to R1305). Unreadable text has no rule of the reference; rules begin behind it. */
export const documentFaults = defineFaults({
  R1300: {
    title: 'A name in a dataflow cannot be used',
    verdict: 'fail',
    when: BEFORE,
    means:
      'Names of clusters, nodes, inputs, outputs and parameters have one or more characters, none of . @ $ / \\ : and no space, because these separate names in edges, versions and paths.',
    often: 'a name with a dot or a space, an empty name',
    fix: 'Rename it; words are joined with "_" or "-".',
  },
  R1301: {
    title: 'An edge or a port in a dataflow cannot be read',
    verdict: 'fail',
    when: BEFORE,
    means:
      'An edge is "node.port -> node.port", "$input -> node.port", a pair of these ends, or an object with "from" and "to". A port is "node.port".',
    often: 'a node without its port, an arrow of another form, "$" in front of a node',
    fix: 'Write the edge in one of these forms.',
  },
  R1302: {
    title: 'A number in a dataflow cannot be stored exactly',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow X.11'],
    means:
      'Numbers are IEEE doubles. Beyond 2^53 not every integer is one, and 4.0000000000000001 is read as 4. A graph must compute with the number that is written.',
    often: 'an id or a time in nanoseconds written as a number',
    fix: 'Write the number that is meant, with an exponent if it is a measurement: 1e16.',
  },
  R1303: {
    title: 'A dataflow has no version',
    verdict: 'fail',
    when: BEFORE,
    means: 'A version has three parts, such as 1.2.0. One or two numbers are enough: 1 means 1.0.0, and 1.2 means 1.2.0.',
    often: 'a name such as "latest", a range, a leading "v"',
    fix: 'Write a version such as "1.0.0".',
  },
  R1304: {
    title: 'A node of a dataflow is neither a primitive nor a cluster',
    verdict: 'fail',
    when: BEFORE,
    means:
      'A node has either "impl", the primitive that it is, or "cluster", the cluster that it stands for; each with a version: "gt@^0.1".',
    often: 'both attributes, or none of them',
    fix: 'Keep one of "impl" and "cluster".',
  },
  R1305: {
    title: 'An edge uses an input that is not declared',
    verdict: 'fail',
    when: BEFORE,
    means:
      '"$name" is an input of the cluster, which its "inputs" declare. Edges only leave an input; the edges into it are those of the cluster around.',
    often: 'a misspelt name, an input that was removed without its edges',
    fix: 'Declare the input, or write the name of one that exists.',
  },
})

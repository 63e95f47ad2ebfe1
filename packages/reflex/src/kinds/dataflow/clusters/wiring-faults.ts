import { defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** The faults of the nodes and edges of a graph (R1320 to R1329). */
export const wiringFaults = defineFaults({
  R1320: {
    title: 'A primitive does not exist',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow V.8'],
    means: 'The catalog of primitives has none with this id.',
    often: 'a misspelt id, a primitive of the host that is not registered, "impl" instead of "cluster"',
    fix: 'Write the id of a primitive of the catalog; docs/kinds/dataflow-primitives.md lists the built-in ones.',
  },
  R1321: {
    title: 'An input of a cluster leads nowhere',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow E.3'],
    means:
      'A graph takes its values from sources, so nothing can feed an input of the graph itself. An input of a cluster that feeds no node takes no edge.',
    often: 'a cluster that is run as a graph',
    fix: 'Read the value with a source, or use the cluster in another graph.',
  },
  R1322: {
    title: 'An edge or an output names a port that does not exist',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow D.2', 'dataflow D.4'],
    means: 'An edge leads from an output of a node to an input of a node, and an output of a graph is an output of a node.',
    often: 'a misspelt name, a renamed node, a node inside a cluster, an input in place of an output',
    fix: 'Write the name of a node and a port that exist.',
  },
  R1323: {
    title: 'Two edges lead into one input',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow V.7'],
    means: 'An input has one value, so it takes one edge.',
    fix: 'Remove one edge, or combine the values in a compute such as "or" or "add".',
  },
  R1324: {
    title: 'Edges form a cycle',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow V.1', 'dataflow X.3'],
    means: 'A pass evaluates each node once, after those before it. In a cycle there is no first node.',
    often: 'memory that is wired as an edge',
    fix: 'Write the value to the context with an action, and read it with a source: it is there at the next event.',
  },
  R1325: {
    title: 'An edge joins kinds that cannot be joined',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow V.2', 'dataflow D.3', 'dataflow I.1', 'dataflow X.2', 'dataflow X.5'],
    means:
      'Sources feed computes, computes feed computes and triggers, triggers feed triggers and the Event inputs of actions. Sources and computes also feed the other inputs of actions. Nothing leaves an action, and nothing enters a source.',
    often: 'a value that is wired to an action without a trigger, a Bool source in front of a trigger',
    fix: 'Put a node of the missing kind between them.',
  },
  R1326: {
    title: 'A required input is not connected',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow V.3'],
    means: 'The node cannot compute without the value.',
    fix: 'Add an edge into the input.',
  },
  R1327: {
    title: 'An edge joins two types',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow V.4', 'dataflow I.2'],
    means: 'Types are not converted: the type of the output is that of the input.',
    often: 'a number where a comparison is missing, a value in place of an event',
    fix: 'Put a compute between them that converts the value.',
  },
  R1328: {
    title: 'No trigger decides about an action',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow V.5', 'dataflow ACT-12'],
    means: 'An action runs when its triggers emit. Without an edge from a trigger into one of its Event inputs, nothing decides.',
    fix: 'Add a trigger, such as emit_if_true, and an edge from it to the action.',
  },
  R1329: {
    title: 'An action writes one key twice',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow ACT-14'],
    means:
      'Two writes of the action are to keys that its parameters name, and here the parameters name one key. The second write would replace the first.',
    fix: 'Give the parameters different keys.',
  },
})

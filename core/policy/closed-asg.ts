/** What it means that the owner of an Auto Scaling group suspends `Launch`, and how to resume it. */
export const meansClosed = (asg: string): string =>
  'no instance can join it, and what Holdfast launches for it waits outside. ' +
  `To resume it: aws autoscaling resume-processes --auto-scaling-group-name ${asg} --scaling-processes Launch`;

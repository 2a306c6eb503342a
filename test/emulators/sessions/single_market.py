"""Pools that are Auto Scaling groups of one zone and one market each: the policy is text in YAML."""

import boto3

from operator_session import control, ended_drain, eventually, groups, items, put_policy, report, state, status

ec2 = boto3.client("ec2")
elb = boto3.client("elbv2")
scaling = boto3.client("autoscaling")

targets = elb.describe_target_groups(Names=["web"])["TargetGroups"][0]["TargetGroupArn"]


def create_pool(name, subnet, spot):
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=name,
        MinSize=0,
        MaxSize=6,
        DesiredCapacity=0,
        VPCZoneIdentifier=subnet,
        TargetGroupARNs=[targets],
        MixedInstancesPolicy={
            "LaunchTemplate": {
                "LaunchTemplateSpecification": {"LaunchTemplateName": "web", "Version": "$Latest"},
                "Overrides": [{"InstanceType": "m7g.large"}],
            },
            "InstancesDistribution": {
                "OnDemandBaseCapacity": 0,
                "OnDemandPercentageAboveBaseCapacity": 0 if spot else 100,
            },
        },
    )


create_pool("batch-spot-a", "subnet-a", spot=True)
create_pool("batch-spot-b", "subnet-b", spot=True)
create_pool("batch-od-c", "subnet-c", spot=False)

put_policy("batch", "group: batch\nsize: [4\n")
rejected = status("batch", "rejected")
put_policy(
    "batch",
    """
group: batch
size: 4
capacity: { tiered: [{ spread: [spot-a, spot-b] }, od-c] }
pools:
  spot-a: { market: spot, asg: batch-spot-a }
  spot-b: { market: spot, asg: batch-spot-b }
  od-c: { market: on-demand, asg: batch-od-c }
drain: { timeout: 30s, loadBalancers: auto }
""",
)
accepted = status("batch", "accepted")


def in_service():
    """Members in service by Auto Scaling group."""
    pages = scaling.get_paginator("describe_auto_scaling_groups").paginate(
        AutoScalingGroupNames=["batch-spot-a", "batch-spot-b", "batch-od-c"]
    )
    return {
        group["AutoScalingGroupName"]: [i["InstanceId"] for i in group["Instances"] if i["LifecycleState"] == "InService"]
        for page in pages
        for group in page["AutoScalingGroups"]
    }


def healthy():
    told = elb.describe_target_health(TargetGroupArn=targets)["TargetHealthDescriptions"]
    return {t["Target"]["Id"] for t in told if t["TargetHealth"]["State"] == "healthy"}


def serving_without(gone):
    def look():
        members = in_service()
        all_of_them = {i for ids in members.values() for i in ids}
        return members if len(all_of_them & healthy()) == 4 and gone not in all_of_them else None

    return eventually("4 members serve", look)


first = serving_without(None)
taken = first["batch-spot-a"][0]
control("interrupt", {"instanceIds": [taken]})
second = serving_without(taken)
drain, history = ended_drain("batch", taken)

# The operator ends a member without lowering the desired size: its Auto Scaling group is whole again.
ended = second["batch-spot-b"][0]
scaling.terminate_instance_in_auto_scaling_group(InstanceId=ended, ShouldDecrementDesiredCapacity=False)
third = serving_without(ended)

report(
    rejected=rejected["problems"][0]["path"],
    accepted=accepted["message"],
    first={name: len(ids) for name, ids in first.items()},
    drain=drain,
    history=history,
    groups=items(groups, "batch"),
    swaps=[item for item in items(state, "batch") if taken in item],
    serving=sum(len(ids) for ids in third.values()),
)
